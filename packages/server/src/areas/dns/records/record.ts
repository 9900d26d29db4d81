import type { RecordType } from '@svc/contract'
import { notFound } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'

/** The input for a new record (specification, section 2.3). */
export interface GivenRecord {
  readonly type: RecordType
  readonly host?: string
  readonly value: string
  readonly ttl?: number
  readonly priority?: number
}

/** The input for an update: only supplied fields change. */
export type GivenChanges = Partial<GivenRecord>

/** A record in the form in which it is stored, compared and served. */
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

/** A record of a zone, with its id. */
export interface ExistingRecord extends CanonicalRecord {
  readonly id: number
}

/** A record with all columns that the API shows. Times are RFC 3339 in UTC with milliseconds. */
export interface StoredRecord extends ExistingRecord {
  readonly created_at: string
  readonly updated_at: string
}

/** All records of one host and type, as a caller wants them. */
export interface WantedRRset extends Omit<CanonicalRecord, 'value'> {
  /** At least one, in canonical form, without duplicates. */
  readonly values: readonly string[]
}

/** The result of a change of one record. */
export interface RecordChanged {
  /** `none`: a no-op. */
  readonly step: 'none' | 'insert' | 'update' | 'delete'
  /** The record after the change; a deleted one as it was. */
  readonly record: StoredRecord
  /** The ids of the other records of its RRset that got its ttl. */
  readonly ttlChanged: readonly number[]
  /** At least its RRset after the change. */
  readonly after: readonly RRset[]
}

/** The input for a change of one record. It can be cloned by `structuredClone`. */
export type RecordChange =
  | { readonly kind: 'create'; readonly record: CanonicalRecord }
  | { readonly kind: 'update'; readonly id: number; readonly changes: GivenChanges }
  | { readonly kind: 'delete'; readonly id: number }

/** 404 for an id that no record of the zone has. */
export const recordNotFound = () => notFound('such record in this zone')
