import { badRequest } from '@svc/contract/errors'
import type { StoredRecord } from '../records/record.js'
import type { WantedChange } from '../records/wanted-changes.js'
import { contentKey, historyValue, type RecordContent } from '../zones/change-text.js'
import type { Contents } from './past-records.js'

/** The changes of a batch that take back changes of a zone. Pure. */

/** How many records are compared between two points at which the computation can be interrupted. */
const recordsPerStep = 500

/** Yields now and then. */
function* stepwise<R>(records: Iterable<R>, each: (record: R) => void): Generator<undefined, void> {
  let count = 0
  for (const record of records) {
    each(record)
    if (++count % recordsPerStep === 0) yield
  }
}

/** The changes that make the records of a zone what they were, as a computation that can be interrupted. */
export function* changesToSteps(
  records: readonly StoredRecord[],
  wanted: Contents,
): Generator<undefined, WantedChange[]> {
  const existing = new Set<string>()
  yield* stepwise(records, (record) => existing.add(contentKey(record)))
  const values = new Set<string>()
  yield* stepwise(wanted.values(), (record) => values.add(valueKey(record)))
  const [removed, created]: [StoredRecord[], RecordContent[]] = [[], []]
  yield* stepwise(records, (record) => {
    // Only the ttl of a value differs: its record stays.
    if (!wanted.has(contentKey(record)) && !values.has(valueKey(record))) removed.push(record)
  })
  yield* stepwise(wanted, ([content, record]) => {
    if (!existing.has(content)) created.push(record)
  })
  return batchOf(removed, created)
}

/** The records that a change has removed and added. */
interface TouchedRecords {
  readonly removed: readonly RecordContent[]
  readonly added: readonly RecordContent[]
}

/**
 * The changes that take back one change, if the records that it touched are as it left them, as a computation that can be interrupted.
 * @param rows all records at the hosts that it touched
 * @throws ApiError `bad_request` if a later change has replaced one of them
 */
export function* takeBackSteps(
  rows: readonly StoredRecord[],
  { removed, added }: TouchedRecords,
): Generator<undefined, WantedChange[]> {
  const existing = new Map<string, StoredRecord>()
  yield* stepwise(rows, (row) => existing.set(valueKey(row), row))
  yield* stepwise(added, (record) => requireSame(existing.get(valueKey(record)), record))
  const [restored, addedValues] = [new Set<string>(), new Set<string>()]
  yield* stepwise(removed, (record) => restored.add(valueKey(record)))
  const deleted: StoredRecord[] = []
  yield* stepwise(added, (record) => {
    const key = valueKey(record)
    const row = existing.get(key)
    addedValues.add(key)
    if (row !== undefined && !restored.has(key)) deleted.push(row)
  })
  const ttls = new Map<string, number>()
  yield* stepwise(rows, (row) => {
    const key = valueKey(row)
    if (!addedValues.has(key) && !restored.has(key)) ttls.set(setKey(row), row.ttl)
  })
  yield* stepwise(removed, (record) => {
    const present = addedValues.has(valueKey(record)) ? undefined : existing.get(valueKey(record))
    if (present !== undefined) requireSame(present, record)
    const ttl = ttls.get(setKey(record)) ?? record.ttl
    if (ttl !== record.ttl)
      throw conflict(`the other ${record.type} records at ${record.host} have the ttl ${ttl} now, not ${record.ttl}`)
  })
  return batchOf(deleted, removed)
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
