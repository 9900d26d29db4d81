import { CopiedZone } from './copied-zone.js'
import type { OpenZones } from './open-zones.js'

/** Milliseconds. A primary with other values would be asked all the time, or never. */
const refreshRange = [1_000, 86_400_000] as const
const retryRange = [1_000, 7_200_000] as const

/** The longest time until a zone without a copy is asked for again, in milliseconds. */
const firstRetryMaxMs = 60_000

const clamp = (seconds: number, [least, most]: readonly [number, number]): number =>
  Math.min(Math.max(seconds * 1000, least), most)

/** A part of the time, so that zones that were loaded together are not asked for together, and never later than it. */
const jittered = (ms: number): number => ms * (0.9 + Math.random() / 10)

/** A zone of the primary that this nameserver follows. Times are on the clock of `performance.now()`. */
export class FollowedZone {
  /** Without a copy, questions for it are answered with SERVFAIL. */
  map: CopiedZone
  hasCopy = false
  /** When the primary last confirmed the copy. */
  contactAt = -Infinity
  /** When the copy may not be served any more (RFC 1035, section 3.3.13); Infinity without a copy. */
  expiresAt = Infinity
  /** When the primary is asked next. */
  dueAt = -Infinity
  askedAt = -Infinity
  isBusy = false
  /** Whether the zone has changed since the last question to the primary. */
  isWanted = false
  isRemoved = false
  /** Failures since the last contact. */
  failures = 0
  problem: string | undefined
  /** The serial of the primary at the last contact. */
  primarySerial: number | undefined

  /**
   * @param name in lower case, without a trailing dot
   * @param member the unique label of the zone in the catalog (RFC 9432, section 4.1); empty for the catalog itself
   */
  constructor(
    name: string,
    readonly member: string,
    private readonly times: { readonly firstRetryMs: number; readonly intervalMaxMs?: number },
    openZones: OpenZones,
  ) {
    this.map = new CopiedZone(name, 0, openZones)
    this.map.isUnavailable = true
  }

  get name(): string {
    return this.map.name
  }

  get key(): string {
    return this.map.key
  }

  /** @param contactAt when the primary last confirmed it */
  adopt(map: CopiedZone, contactAt: number): void {
    this.map = map
    this.hasCopy = true
    this.setContact(contactAt)
  }

  /** A field, because all zones are looked at twice a second. */
  private setContact(at: number): void {
    this.contactAt = at
    this.expiresAt = at + (this.map.soa?.expire ?? Infinity) * 1000
  }

  confirm(now: number): void {
    this.setContact(now)
    this.failures = 0
    this.problem = undefined
    this.map.isUnavailable = false
    this.dueAt =
      now + jittered(Math.min(clamp(this.map.soa?.refresh ?? 0, refreshRange), this.times.intervalMaxMs ?? Infinity))
  }

  fail(now: number, problem: string): void {
    this.problem = problem
    const { soa } = this.map
    const retryMs =
      soa === undefined
        ? Math.min(this.times.firstRetryMs * 2 ** Math.min(this.failures, 16), firstRetryMaxMs)
        : clamp(soa.retry, retryRange)
    this.failures++
    this.dueAt = now + jittered(Math.min(retryMs, this.times.intervalMaxMs ?? Infinity))
  }

  /** By how many serials the copy is behind the primary, as far as known. */
  get behind(): number {
    return this.hasCopy && this.primarySerial !== undefined
      ? Math.max((this.primarySerial - this.map.serial) | 0, 0)
      : 0
  }
}
