import type { RecordType } from '@svc/contract/limits'

/** The values that a change of records removes and adds, as the history stores them. Pure. */

/** The content of a record. */
export interface RecordContent {
  readonly type: RecordType
  /** Relative to the zone, in lower case; `@` for the apex. */
  readonly host: string
  /** In canonical form. */
  readonly value: string
  readonly ttl: number
  /** Null for types without a priority. */
  readonly priority: number | null
}

/** Values of one host and type. */
export interface ChangedSet {
  readonly host: string
  readonly type: RecordType
  readonly ttl: number
  /** In canonical form; those of types with a priority begin with it. */
  readonly values: string[]
}

/** The stored form of two lists of RRsets. */
export interface ChangeTexts {
  readonly removed: string
  readonly added: string
}

/** The stored form of no change. */
export const noSets = ''

/** A value as the history has it: `10 mail.example.com` for a type with a priority. */
export const historyValue = ({ priority, value }: Pick<RecordContent, 'priority' | 'value'>): string =>
  priority === null ? value : `${priority} ${value}`

/** The record of a value of a set. */
export function contentOf({ host, type, ttl }: Omit<ChangedSet, 'values'>, value: string): RecordContent {
  if (type !== 'MX' && type !== 'SRV') return { host, type, ttl, value, priority: null }
  const space = value.indexOf(' ')
  return { host, type, ttl, value: value.slice(space + 1), priority: Number(value.slice(0, space)) }
}

/** Identifies the content of a record in its zone. */
export const contentKey = (record: RecordContent): string =>
  `${record.host} ${record.type} ${record.ttl} ${historyValue(record)}`

/** How many records are compared or grouped between two points at which the computation can be interrupted. */
const recordsPerStep = 500

/** The values that a change removes and adds. */
export interface Difference {
  readonly removed: readonly ChangedSet[]
  readonly added: readonly ChangedSet[]
}

/**
 * What a change removes and adds, as a computation that can be interrupted. Records that it removes and adds again are left out.
 * @param removed records as they were @param added records as they are now
 */
export function* differenceSteps(
  removed: readonly RecordContent[],
  added: readonly RecordContent[],
): Generator<undefined, Difference> {
  const [before, after] = [yield* byContent(removed), yield* byContent(added)]
  return { removed: yield* groupSets(without(before, after)), added: yield* groupSets(without(after, before)) }
}

/** The stored form of a new record, which most changes are. */
export const createdTexts = (record: RecordContent): ChangeTexts => ({
  removed: noSets,
  added: JSON.stringify([[record.host, [record.type, record.ttl, historyValue(record)]]]),
})

/** The stored form of a change, as a computation that can be interrupted. */
export function* changeSteps(
  removed: readonly RecordContent[],
  added: readonly RecordContent[],
): Generator<undefined, ChangeTexts> {
  const difference = yield* differenceSteps(removed, added)
  return { removed: yield* setsText(difference.removed), added: yield* setsText(difference.added) }
}

type Contents = ReadonlyMap<string, RecordContent>

function* byContent(records: readonly RecordContent[]): Generator<undefined, Contents> {
  const contents = new Map<string, RecordContent>()
  for (const [index, record] of records.entries()) {
    contents.set(contentKey(record), record)
    if (index % recordsPerStep === recordsPerStep - 1) yield
  }
  return contents
}

function* without(contents: Contents, others: Contents): Generator<RecordContent> {
  for (const [key, record] of contents) if (!others.has(key)) yield record
}

/** Groups records by host, type and ttl. */
export function* groupSets(records: Iterable<RecordContent>): Generator<undefined, ChangedSet[]> {
  const sets = new Map<string, ChangedSet>()
  let count = 0
  for (const record of records) {
    const { host, type, ttl } = record
    const key = `${host} ${type} ${ttl}`
    const set = sets.get(key)
    if (set === undefined) sets.set(key, { host, type, ttl, values: [historyValue(record)] })
    else set.values.push(historyValue(record))
    if (++count % recordsPerStep === 0) yield
  }
  return [...sets.values()]
}

/**
 * A JSON list of `["www",["A",3600,"192.0.2.1"]]`. Hosts have no upper-case letters and types have no others, so that `["www",` and
 * `["A",` are found in the text only where a set has this host or type: a quotation mark inside a value is escaped, and a value never
 * follows a bracket.
 */
function* setsText(sets: readonly ChangedSet[]): Generator<undefined, string> {
  if (sets.length === 0) return noSets
  let text = ''
  for (const [index, { host, type, ttl, values }] of sets.entries()) {
    text += `${index === 0 ? '[' : ','}${JSON.stringify([host, [type, ttl, ...values]])}`
    if (index % recordsPerStep === recordsPerStep - 1) yield
  }
  return `${text}]`
}

/** The part of a stored form that only changes with such a set have. */
export function setPattern({ host, type }: Partial<Pick<ChangedSet, 'host' | 'type'>>): string {
  const ofType = type === undefined ? '' : `["${type}",`
  return host === undefined ? ofType : `[${JSON.stringify(host)},${ofType}`
}

/** Characters of a stored form that are parsed at once, unless a single set has more: in less than a millisecond. */
const pieceChars = 64 * 1024

/**
 * The end of a set before the host of the next one. A quotation mark inside a value is escaped, and one that ends a value which ends with
 * `]],[` is followed by a comma or a bracket.
 */
const setEnd = /\]\],(?=\["[^,\]])/g

type StoredSet = [string, [RecordType, number, ...string[]]]

/** Reads the stored form of a list of RRsets in pieces, each short enough not to block the event loop. @param chars of a piece */
export function* readSets(text: string, chars = pieceChars): Generator<ChangedSet[], void> {
  if (text === noSets) return
  for (let from = 1; from < text.length;) {
    setEnd.lastIndex = from + chars
    const end = setEnd.exec(text)
    const to = end === null ? text.length - 1 : end.index + 2
    yield parseSets(`[${text.slice(from, to)}]`)
    from = to + 1
  }
}

const parseSets = (text: string): ChangedSet[] =>
  (JSON.parse(text) as StoredSet[]).map(([host, [type, ttl, ...values]]) => ({ host, type, ttl, values }))

/** Reads the stored form of a list of RRsets at once, unless it is long. */
export const readShortSets = (text: string): ChangedSet[] | undefined =>
  text === noSets ? [] : text.length <= pieceChars ? parseSets(text) : undefined
