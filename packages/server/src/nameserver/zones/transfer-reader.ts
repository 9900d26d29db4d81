import { isNewerSerial } from '../../ports/dns/serial.js'
import type { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import type { Limits } from '../limits.js'
import { answerRecords, leftOut, type WireRecord } from '../wire/records.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import { isSoa, serialOf } from '../wire/soa.js'
import { Draft } from './draft.js'

/** The outcome of a transfer. Nothing of it is applied before its last message has been verified. */
export type Transferred =
  /** The copy is current. @property serial of the primary */
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'whole' | 'changes'; readonly serial: number; readonly draft: Draft }

/**
 * Reads the messages of an AXFR (RFC 5936, section 2.2) or IXFR (RFC 1995, section 4), which have this form:
 *
 *     whole:    SOA, records, SOA
 *     changes:  SOA, (former SOA, removed records, SOA, added records) for each step, SOA
 *     current:  SOA
 */
export class TransferReader {
  private draft = new Draft()
  private serial = 0
  private kind: 'none' | 'first' | 'whole' | 'changes' = 'none'
  /** In an incremental transfer: whether records are removed or added, and the serial that the steps have reached. */
  private isAdding = false
  private reached = 0
  private hasEnded = false
  private records = 0
  /** Records that are not served, for the log. */
  leftOut = 0

  /** @param base the copy to change; undefined for an AXFR */
  constructor(
    private readonly zone: string,
    private readonly base: ZoneMap | undefined,
    private readonly limits: Pick<Limits, 'transferRecords' | 'changedSets'>,
  ) {}

  /**
   * Takes one message.
   * @returns the outcome; undefined if the transfer goes on
   * @throws RefusedAnswer
   */
  take(message: Buffer): Transferred | undefined {
    for (const record of answerRecords(message, this.zone)) {
      if (this.hasEnded) throw new RefusedAnswer('Records follow the end of the transfer.')
      if (++this.records > this.limits.transferRecords)
        throw new RefusedAnswer(`The transfer has more than ${this.limits.transferRecords} records.`)
      if (record === leftOut) this.leftOut++
      else this.step(record)
    }
    return this.outcome()
  }

  private outcome(): Transferred | undefined {
    const { serial, kind, base } = this
    if (kind === 'first' && base !== undefined && !isNewerSerial(serial, base.serial))
      return { kind: 'current', serial }
    if (kind === 'none') throw new RefusedAnswer('The answer has no records.')
    if (!this.hasEnded || kind === 'first') return undefined
    return { kind, serial, draft: this.draft }
  }

  private step(record: WireRecord): void {
    switch (this.kind) {
      case 'none':
        this.serial = serialOf(record)
        this.draft.add(record)
        this.kind = 'first'
        return
      case 'first':
        this.second(record)
        return
      case 'whole':
        if (!isSoa(record)) this.draft.add(record)
        else if (serialOf(record) === this.serial) this.hasEnded = true
        else throw new RefusedAnswer('The zone changed during its transfer.')
        return
      case 'changes':
        this.change(record)
    }
  }

  /** The second record tells an incremental transfer from a whole one. */
  private second(record: WireRecord): void {
    const { base } = this
    this.kind = 'whole'
    if (!isSoa(record) || base === undefined || serialOf(record) === this.serial) {
      this.step(record)
      return
    }
    if (serialOf(record) !== base.serial)
      throw new RefusedAnswer('The incremental transfer begins at another serial than that of the copy.')
    this.kind = 'changes'
    this.reached = base.serial
    const whole = this.draft
    this.draft = new Draft(base)
    this.draft.add(whole.soaRecord)
  }

  private change(record: WireRecord): void {
    const { draft } = this
    if (!isSoa(record)) {
      if (this.isAdding) draft.add(record)
      else draft.remove(record)
      if (draft.size > this.limits.changedSets) throw new RefusedAnswer('The incremental transfer is long.')
      return
    }
    const serial = serialOf(record)
    if (!this.isAdding) {
      if (!isNewerSerial(serial, this.reached)) throw disorder()
      this.isAdding = true
      this.reached = serial
    } else if (this.reached === this.serial) {
      if (serial !== this.serial) throw disorder()
      this.hasEnded = true
    } else {
      if (serial !== this.reached) throw disorder()
      this.isAdding = false
    }
  }
}

const disorder = () => new RefusedAnswer('The serials of the incremental transfer are not in order.')
