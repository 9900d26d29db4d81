import { badRequest } from '@svc/contract/errors'
import type { StoredRecord } from '../records/record.js'
import type { WantedChange } from '../records/wanted-changes.js'
import { contentKey, historyValue, type RecordContent } from '../zones/change-text.js'
import type { ChangeRow } from './change-store.js'
import { contentsIn, type Contents } from './past-records.js'

/** The changes of a batch that take back changes of a zone. Pure. */

/** The changes that make the records of a zone what they were. */
export function changesTo(records: readonly StoredRecord[], wanted: Contents): WantedChange[] {
  const existing = new Set(records.map(contentKey))
  const values = new Set(Array.from(wanted.values(), valueKey))
  // Only the ttl of a value differs: its record stays.
  const removed = records.filter((record) => !wanted.has(contentKey(record)) && !values.has(valueKey(record)))
  const created = [...wanted].flatMap(([content, record]) => (existing.has(content) ? [] : [record]))
  return batchOf(removed, created)
}

/**
 * The changes that take back one change, if the records that it touched are as it left them.
 * @param rows all records at the hosts that it touched
 * @throws ApiError `bad_request` if a later change has replaced one of them
 */
export function takeBack(rows: readonly StoredRecord[], change: Pick<ChangeRow, 'removed' | 'added'>): WantedChange[] {
  const removed = [...contentsIn(change.removed)]
  const added = [...contentsIn(change.added)]
  const existing = new Map(rows.map((row) => [valueKey(row), row]))
  for (const record of added) requireSame(existing.get(valueKey(record)), record)
  const restored = new Set(removed.map(valueKey))
  const addedValues = new Set(added.map(valueKey))
  const deleted = added.flatMap((record) => (restored.has(valueKey(record)) ? [] : [existing.get(valueKey(record))]))
  const goes = new Set([...addedValues, ...restored])
  const ttls = new Map(rows.filter((row) => !goes.has(valueKey(row))).map((row) => [setKey(row), row.ttl]))
  for (const record of removed) {
    const present = addedValues.has(valueKey(record)) ? undefined : existing.get(valueKey(record))
    if (present !== undefined) requireSame(present, record)
    const ttl = ttls.get(setKey(record)) ?? record.ttl
    if (ttl !== record.ttl)
      throw conflict(`the other ${record.type} records at ${record.host} have the ttl ${ttl} now, not ${record.ttl}`)
  }
  return batchOf(
    deleted.filter((record) => record !== undefined),
    removed,
  )
}

function requireSame(existing: StoredRecord | undefined, { host, type, ttl, ...rest }: RecordContent): void {
  const value = historyValue(rest)
  if (existing === undefined) throw conflict(`${host} has no ${type} record ${value} any more`)
  if (existing.ttl !== ttl) throw conflict(`the ${type} record ${value} at ${host} has the ttl ${existing.ttl} now`)
}

const conflict = (reason: string) =>
  badRequest('serial', `names a change that cannot be taken back alone, because of a later one: ${reason}`)

/** Deletions first: they make room. A value that exists with another ttl keeps its record, which gets the ttl of the new one. */
const batchOf = (removed: readonly StoredRecord[], created: readonly RecordContent[]): WantedChange[] => [
  ...removed.map(({ id }) => ({ kind: 'delete', id }) as const),
  ...created.map(({ host, type, value, ttl, priority }) => ({
    kind: 'create' as const,
    record: { host, type, value, ttl, priority },
  })),
]

const setKey = ({ host, type }: RecordContent): string => `${host} ${type}`
const valueKey = (record: RecordContent): string => `${setKey(record)} ${historyValue(record)}`
