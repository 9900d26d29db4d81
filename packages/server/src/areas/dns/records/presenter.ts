import { fullName } from '../values/host.js'
import type { RecordChanged, StoredRecord } from './record.js'

/** A record in the API's answers. */
export interface RecordJson extends StoredRecord {
  readonly zone: string
  /** The host as an absolute name. */
  readonly name: string
}

/**
 * The fields of `RecordJson`, in the order of the API's answers. The database writes lists from these (list-store.ts): it
 * has a column for each field except `zone` and `name`.
 */
export const jsonFields = [
  'id',
  'zone',
  'type',
  'host',
  'name',
  'value',
  'ttl',
  'priority',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof RecordJson)[]

/** The columns of a stored record. */
export const recordColumns = jsonFields.filter((field) => field !== 'zone' && field !== 'name')

/**
 * A single record as an answer shows it. Field by field: SQLite's driver returns rows as dictionaries, a copy of one with `...` is a
 * dictionary too, and both the copy and its JSON take three times as long.
 */
export const toJson = (
  zone: string,
  { id, type, host, value, ttl, priority, created_at, updated_at }: StoredRecord,
): RecordJson => ({
  id,
  zone,
  type,
  host,
  name: fullName(zone, host),
  value,
  ttl,
  priority,
  created_at,
  updated_at,
})

/** A record after a write, with the ids of the other records that got its ttl. */
export function toChangedJson(zone: string, { record, ttlChanged }: RecordChanged) {
  const json = toJson(zone, record)
  return ttlChanged.length === 0 ? json : { ...json, ttl_changed: [...ttlChanged] }
}
