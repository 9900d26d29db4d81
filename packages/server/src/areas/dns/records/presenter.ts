import type { RecordType } from '@svc/contract'
import type { RRset } from '../../../ports/dns/port.js'
import { fullName } from '../values/host.js'
import type { StoredRecord } from './record.js'

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
): RecordJson => ({ id, zone, type, host, name: fullName(zone, host), value, ttl, priority, created_at, updated_at })

/** All records of one host and type in the API's answers. */
export interface RRsetJson {
  readonly type: RecordType
  readonly host: string
  readonly name: string
  readonly ttl: number
  readonly priority: number | null
  readonly values: string[]
}

/** All records of one host and type. @param sets at least this one */
export function toRRsetJson(
  zone: string,
  { host, type }: Pick<StoredRecord, 'host' | 'type'>,
  sets: readonly RRset[],
): RRsetJson {
  const name = fullName(zone, host)
  const set = sets.find((one) => one.name === name && one.type === type)
  if (set === undefined) throw new Error(`The plan lacks ${type} of ${name}.`)
  const priorities = new Set(set.records.map(({ priority }) => priority))
  return {
    type,
    host,
    name,
    ttl: set.ttl,
    priority: priorities.size === 1 ? (set.records[0]?.priority ?? null) : null,
    values: set.records.map(({ value }) => value),
  }
}
