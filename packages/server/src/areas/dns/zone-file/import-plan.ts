import { ApiError } from '@svc/contract/errors'
import { groupBy } from '@svc/contract/group-by'
import type { RuleAccess } from '@svc/contract/limits'
import type { CanonicalRecord, StoredRecord } from '../records/record.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import { Remarks } from './remarks.js'
import { checkNew } from '../records/conflicts.js'
import { HostIndex } from '../records/host-index.js'
import { allContentBytes } from '../records/rrset.js'
import type { ReadRecord } from './records.js'
import type { Remark } from './lexer.js'

export interface ImportOptions {
  /** Whether records that the file does not have are deleted. */
  readonly replace: boolean
  readonly recordsMax: number
  /** How many bytes of content the zone may hold. */
  readonly zoneBytesMax: number
  /** RFC 3339: the time of the import. */
  readonly now: string
  /** What the rules of the caller's token must allow: `read` for a preview; `write` if undefined. */
  readonly access?: RuleAccess
}

/** The records of a zone after an import, and how they differ from those before it. */
export interface ImportChanges {
  readonly after: readonly StoredRecord[]
  readonly created: readonly StoredRecord[]
  /** Existing records that get another ttl, with that ttl. */
  readonly ttlChanged: readonly StoredRecord[]
  readonly deleted: readonly StoredRecord[]
  /** The lines of the records that the file has, by id. */
  readonly lines: ReadonlyMap<number, number>
}

const keyOf = ({ type, host, value, priority }: CanonicalRecord): string =>
  JSON.stringify([type, host, priority, value])

/**
 * Plans an import: creates the records of a file in their order, as the API would. A second import of the file is a no-op.
 * @param lastId the highest id that the zone has assigned
 * @throws ApiError `bad_request` with a line for each record that conflicts with another one
 */
export const planImport = (...given: Parameters<typeof planSteps>): ImportChanges => runAtOnce(planSteps(...given))

/** The same as a computation that can be interrupted after each record. @throws as `planImport` */
export function* planSteps(
  before: readonly StoredRecord[],
  read: readonly ReadRecord[],
  lastId: number,
  { replace, recordsMax, zoneBytesMax, now }: ImportOptions,
): Generator<undefined, ImportChanges> {
  const kept = replace ? yield* commonSteps(before, read) : before
  const byHost = new Map<string, HostIndex<StoredRecord>>()
  const at = (host: string) => {
    const known = byHost.get(host) ?? new HostIndex<StoredRecord>()
    byHost.set(host, known)
    return known
  }
  for (const record of kept) {
    at(record.host).add(record)
    yield
  }
  const lines = new Map<number, number>()
  let nextId = lastId + 1
  const problems = new Remarks()
  for (const { line, record } of read) {
    const there = at(record.host)
    try {
      const existing = checkNew(there, record)
      const row = existing ?? { ...record, id: nextId++, created_at: now, updated_at: now }
      if (!lines.has(row.id)) lines.set(row.id, line)
      there.put({ ...row, ttl: record.ttl })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.add({ line, text: inTheFile(error.message, lines, lastId) })
      if (problems.isFull) break
    }
    yield
  }
  const rows = Array.from(byHost.values(), (there) => [...there.records()]).flat()
  if (rows.length > recordsMax)
    throw new ApiError('bad_request', `The zone would have ${rows.length} records; the limit is ${recordsMax}.`)
  const bytes = allContentBytes(rows)
  if (bytes > zoneBytesMax && bytes > allContentBytes(before))
    throw new ApiError(
      'bad_request',
      `The values and hosts of the zone's records would have ${bytes} bytes; the limit is ${zoneBytesMax}.`,
    )
  if (problems.list.length > 0) throw new ImportConflicts(problems.list)
  yield
  return { ...changes(before, rows, now), lines }
}

/** The existing records that the file has too. */
function* commonSteps(
  before: readonly StoredRecord[],
  read: readonly ReadRecord[],
): Generator<undefined, readonly StoredRecord[]> {
  const inFile = new Set<string>()
  for (const { record } of read) {
    inFile.add(keyOf(record))
    yield
  }
  const common: StoredRecord[] = []
  for (const record of before) {
    if (inFile.has(keyOf(record))) common.push(record)
    yield
  }
  return common
}

/** Records of a file that conflict with each other, or with records of the zone. */
export class ImportConflicts extends ApiError {
  readonly #problems: readonly Remark[]

  constructor(problems: readonly Remark[]) {
    super('bad_request', describeRemarks(problems))
    this.#problems = problems
  }

  get problems(): readonly Remark[] {
    return this.#problems
  }
}

/** Names new records by their line instead of their id. */
const inTheFile = (message: string, lines: ReadonlyMap<number, number>, lastId: number): string =>
  message.replace(/\bid (\d+)\b/, (id, number) => {
    const line = Number(number) > lastId ? lines.get(Number(number)) : undefined
    return line === undefined ? id : `line ${line}`
  })

function changes(
  before: readonly StoredRecord[],
  rows: readonly StoredRecord[],
  now: string,
): Omit<ImportChanges, 'lines'> {
  const existing = new Map(before.map((record) => [record.id, record]))
  const after = rows.map((row) => {
    const old = existing.get(row.id)
    return old === undefined || old.ttl === row.ttl ? row : { ...row, updated_at: now }
  })
  const left = new Set(after.map(({ id }) => id))
  return {
    after,
    created: after.filter(({ id }) => !existing.has(id)),
    ttlChanged: after.filter(({ id, ttl }) => existing.has(id) && existing.get(id)?.ttl !== ttl),
    deleted: before.filter(({ id }) => !left.has(id)),
  }
}

/** How many lines of one kind, and how many kinds, are listed before the rest is only counted. */
const mostLines = 8
const mostKinds = 30

/**
 * Remarks as text for the operator, equal ones combined: `line 3: …`, `lines 3, 4: …`.
 * @param others how many more remarks there are
 */
export function describeRemarks(remarks: readonly Remark[], others = 0): string {
  const kinds = Array.from(
    groupBy(remarks, ({ text }) => text),
    ([text, same]) => {
      const lines = same.map(({ line }) => line)
      const shown = lines.slice(0, mostLines).join(', ')
      const more = lines.length > mostLines ? ` and ${lines.length - mostLines} more` : ''
      return `line${lines.length > 1 ? 's' : ''} ${shown}${more}: ${text}`
    },
  )
  const left = Math.max(0, kinds.length - mostKinds) + others
  const rest = left > 0 ? [`and ${left} others`] : []
  return [...kinds.slice(0, mostKinds), ...rest].join('\n')
}
