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
  /** In the canonical form of its type: see ports/dns/types. */
  readonly value: string
  readonly ttl: number
  /** Null for types without a priority. */
  readonly priority: number | null
}

/** One that stands in a zone; a row of the table is one. */
export interface StandingRecord extends CanonicalRecord {
  readonly id: number
}
