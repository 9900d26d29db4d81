import { ApiError } from '@svc/contract/errors'
import type { StoredRecord } from '../records/plan.js'
import type { CanonicalRecord } from '../records/record.js'
import { Remarks } from './remarks.js'
import { contentBytes } from '../values/size.js'
import { planCreate, withRecord } from '../records/rrset.js'
import type { ReadRecord } from './records.js'
import type { Remark } from './lexer.js'

export interface ImportOptions {
  /** Whether records that the file does not have are deleted. */
  readonly replace: boolean
  readonly recordsMax: number
  /** How many bytes of content the zone may hold. */
  readonly zoneBytesMax: number
  /** When: the time of what is created or changed. */
  readonly now: string
}

/** What an import comes to: what stands before and after, and how the two differ. */
export interface ImportChanges {
  readonly after: readonly StoredRecord[]
  readonly created: readonly StoredRecord[]
  /** Those with another ttl, which they have from here on. */
  readonly retimed: readonly StoredRecord[]
  readonly deleted: readonly StoredRecord[]
}

const keyOf = ({ type, host, value, priority }: CanonicalRecord): string =>
  JSON.stringify([type, host, priority, value])

/**
 * Works out what the records of a file do to a zone, each as if the API had been asked to create it, in their order.
 * Running it again on what came out changes nothing.
 * @param lastId the highest id that the zone has given out
 * @throws ApiError `bad_request` with a line for each record that cannot stand
 */
export function planImport(
  before: readonly StoredRecord[],
  read: readonly ReadRecord[],
  lastId: number,
  { replace, recordsMax, zoneBytesMax, now }: ImportOptions,
): ImportChanges {
  const wanted = new Set(read.map(({ record }) => keyOf(record)))
  const kept = replace ? before.filter((record) => wanted.has(keyOf(record))) : before
  const byHost = grouped(kept.map((record) => [record.host, record]))
  const lines = new Map<number, number>()
  const problems = new Remarks()
  for (const { line, record } of read) {
    const rows = byHost.get(record.host) ?? []
    try {
      const plan = planCreate(rows, record)
      const standing = plan.kind === 'same' ? rows.find(({ id }) => id === plan.id) : undefined
      const id = lastId + lines.size + 1
      if (standing === undefined) lines.set(id, line)
      const row = standing ?? { ...record, id, created_at: now, updated_at: now }
      byHost.set(record.host, withRecord(rows, { ...row, ttl: record.ttl }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.add({ line, text: inTheFile(error.message, lines) })
      if (problems.isFull) break
    }
  }
  const rows = [...byHost.values()].flat()
  if (rows.length > recordsMax)
    throw new ApiError('bad_request', `The zone would hold ${rows.length} records, and may hold ${recordsMax}.`)
  const bytes = sizeOf(rows)
  if (bytes > zoneBytesMax && bytes > sizeOf(before))
    throw new ApiError(
      'bad_request',
      `The values and hosts of the zone's records would have ${bytes} bytes, and may have ${zoneBytesMax}.`,
    )
  if (problems.list.length > 0) throw new ApiError('bad_request', describeRemarks(problems.list))
  return changes(before, rows, now)
}

/** Bytes of content. */
export const sizeOf = (records: readonly CanonicalRecord[]): number =>
  records.reduce((sum, record) => sum + contentBytes(record), 0)

/** The rules name a record by its id; one that is not made yet is better known by its line. */
const inTheFile = (message: string, lines: ReadonlyMap<number, number>): string =>
  message.replace(/\bid (\d+)\b/, (id, number) => {
    const line = lines.get(Number(number))
    return line === undefined ? id : `line ${line}`
  })

function changes(before: readonly StoredRecord[], rows: readonly StoredRecord[], now: string): ImportChanges {
  const standing = new Map(before.map((record) => [record.id, record]))
  const after = rows.map((row) => {
    const old = standing.get(row.id)
    return old === undefined || old.ttl === row.ttl ? row : { ...row, updated_at: now }
  })
  const left = new Set(after.map(({ id }) => id))
  return {
    after,
    created: after.filter(({ id }) => !standing.has(id)),
    retimed: after.filter(({ id, ttl }) => standing.has(id) && standing.get(id)?.ttl !== ttl),
    deleted: before.filter(({ id }) => !left.has(id)),
  }
}

/** How many lines of one kind, and how many kinds, are told before it says that there are more. */
const mostLines = 8
const mostKinds = 30

/**
 * Remarks as text for the operator, equal ones combined: `line 3: …`, `lines 3, 4: …`.
 * @param others how many more there are
 */
export function describeRemarks(remarks: readonly Remark[], others = 0): string {
  const told = Array.from(grouped(remarks.map(({ line, text }) => [text, line])), ([text, lines]) => {
    const shown = lines.slice(0, mostLines).join(', ')
    const more = lines.length > mostLines ? ` and ${lines.length - mostLines} more` : ''
    return `line${lines.length > 1 ? 's' : ''} ${shown}${more}: ${text}`
  })
  const left = Math.max(0, told.length - mostKinds) + others
  const rest = left > 0 ? [`and ${left} others`] : []
  return [...told.slice(0, mostKinds), ...rest].join('\n')
}

function grouped<T>(entries: readonly (readonly [key: string, value: T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [key, value] of entries) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
