import { isNewerSerial, nextSerial } from '../serial.js'

/** For zones without such changes, which are most. Replaced before something is added. */
const none = new Set<number>()

/**
 * Which changes the contents of a zone in memory have. Changes may arrive in any order. Until the missing ones
 * arrive, the contents match no serial: a secondary must not get them. Serials are signed 32-bit integers.
 */
export class AppliedSerials {
  /** Serials of changes that were applied before an earlier one. */
  private ahead: Set<number> = none

  /**
   * @param through every change up to this serial is in the contents
   * @param latest any change up to this serial may be in the contents
   */
  constructor(
    private through: number,
    private latest = through,
  ) {}

  /** Whether the contents are exactly those of the newest serial. */
  get isComplete(): boolean {
    return this.ahead.size === 0 && !isNewerSerial(this.latest, this.through)
  }

  add(serial: number): void {
    if (!isNewerSerial(serial, this.through)) return
    this.addAhead(serial | 0)
    this.closeGap()
  }

  private addAhead(serial: number): void {
    if (this.ahead === none) this.ahead = new Set()
    this.ahead.add(serial)
  }

  /** A change that replaces all before it, whose serial need not follow the last one. */
  jump(serial: number): void {
    this.through = this.latest = serial | 0
    this.ahead.clear()
  }

  /** Adds the changes of the contents that a load replaces, which were merged into the load. */
  merge(before: AppliedSerials): void {
    if (isNewerSerial(before.through, this.through)) this.through = before.through
    if (isNewerSerial(before.latest, this.latest)) this.latest = before.latest
    for (const serial of before.ahead) if (isNewerSerial(serial, this.through)) this.addAhead(serial)
    this.closeGap()
  }

  private closeGap(): void {
    for (let next = following(this.through); this.ahead.delete(next); next = following(next)) this.through = next
  }
}

const following = (serial: number): number => nextSerial(serial >>> 0) | 0
