import type { RecordType } from '@svc/contract'

/** What a caller gives for a new record (specification, section 2.3). */
export interface GivenRecord {
  readonly type: RecordType
  readonly host?: string
  readonly value: string
  readonly ttl?: number
  readonly priority?: number
}

/** What a caller gives to change one: only supplied fields change. */
export type GivenChanges = Partial<GivenRecord>

/** A record in the one form it is stored, compared and served in. */
export interface CanonicalRecord {
  readonly type: RecordType
  /** Relative to the zone, in lower case; `@` for the apex. */
  readonly host: string
  /**
   * Names in lower case, absolute, without the trailing dot, `.` alone for the root; RFC 5952 addresses; the text of
   * TXT and SPF without quotes or escapes; SRV `weight port target`; CAA `flags tag "value"`.
   */
  readonly value: string
  readonly ttl: number
  /** Null but for MX and SRV. */
  readonly priority: number | null
}

/** One that stands in a zone; a row of the table is one. */
export interface StandingRecord extends CanonicalRecord {
  readonly id: number
}
