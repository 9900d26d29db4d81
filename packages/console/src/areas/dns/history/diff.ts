import type { RecordType } from '@svc/contract'

/** The difference that a change of a zone made, in the form that users read. Pure. */

/** Values of one host and type, as the API answers them. */
export interface HistorySet {
  readonly host: string
  readonly type: RecordType
  readonly ttl: number
  readonly values: readonly string[]
}

/** The values that a change removed and added. A value with another ttl is in both lists. */
export interface Difference {
  readonly removed: readonly HistorySet[]
  readonly added: readonly HistorySet[]
}

/** `kept`: only the ttl of the value has changed. */
type LineKind = 'kept' | 'removed' | 'added'

interface Line {
  readonly kind: LineKind
  readonly value: string
}

/** What a change did at one host and type. */
export interface SetChange {
  readonly host: string
  readonly type: RecordType
  /** Of the removed values; undefined without any. */
  readonly ttlBefore: number | undefined
  /** Of the added values; undefined without any. */
  readonly ttlAfter: number | undefined
  /** Values that only have another ttl, then the removed ones, then the added ones. */
  readonly lines: readonly Line[]
}

/** Joins what was removed and added at the same host and type. All values of one host and type share a ttl (RFC 2181, section 5.2). */
export function setChanges({ removed, added }: Difference): SetChange[] {
  const [before, after] = [byHostAndType(removed), byHostAndType(added)]
  return [...new Set([...before.keys(), ...after.keys()])].map((key) => {
    const [old, now] = [before.get(key), after.get(key)]
    const { host, type } = (old ?? now) as HistorySet
    const [oldValues, newValues] = [new Set(old?.values), new Set(now?.values)]
    const line = (kind: LineKind) => (value: string) => ({ kind, value })
    return {
      host,
      type,
      ttlBefore: old?.ttl,
      ttlAfter: now?.ttl,
      lines: [
        ...[...oldValues].filter((value) => newValues.has(value)).map(line('kept')),
        ...[...oldValues].filter((value) => !newValues.has(value)).map(line('removed')),
        ...[...newValues].filter((value) => !oldValues.has(value)).map(line('added')),
      ],
    }
  })
}

function byHostAndType(sets: readonly HistorySet[]): ReadonlyMap<string, HistorySet> {
  const found = new Map<string, HistorySet>()
  for (const set of sets) {
    const key = `${set.host} ${set.type}`
    const first = found.get(key)
    found.set(key, first === undefined ? set : { ...set, values: [...first.values, ...set.values] })
  }
  return found
}

/** The one value that a change replaced by another one; undefined if it removed or added several. */
export function replacement({ lines }: SetChange): { readonly before: string; readonly after: string } | undefined {
  const removed = lines.filter(({ kind }) => kind === 'removed')
  const added = lines.filter(({ kind }) => kind === 'added')
  const [[before], [after]] = [removed, added]
  if (removed.length !== 1 || added.length !== 1 || before === undefined || after === undefined) return undefined
  return { before: before.value, after: after.value }
}

/** Whether a change did nothing to records, such as a claim. */
export const isEmpty = ({ removed, added }: Difference): boolean => removed.length + added.length === 0

/** The first lines of a list, and how many others it has. */
export function firstLines(
  changes: readonly SetChange[],
  max: number,
): { readonly shown: readonly SetChange[]; readonly hidden: number } {
  const shown: SetChange[] = []
  let [left, hidden] = [max, 0]
  for (const change of changes) {
    const { lines } = change
    if (left > 0) shown.push({ ...change, lines: lines.slice(0, left) })
    hidden += Math.max(lines.length - left, 0)
    left = Math.max(left - lines.length, 0)
  }
  return { shown, hidden }
}

/** How many values a change has added, removed, replaced one by one, and given another ttl. */
export interface Counts {
  readonly added: number
  readonly removed: number
  readonly replaced: number
  readonly ttl: number
}

export function countsOf(changes: readonly SetChange[]): Counts {
  const total = { added: 0, removed: 0, replaced: 0, ttl: 0 }
  for (const change of changes) {
    const isReplaced = replacement(change) !== undefined
    if (isReplaced) total.replaced++
    for (const { kind } of change.lines) {
      if (kind === 'kept') total.ttl++
      else if (!isReplaced) total[kind]++
    }
  }
  return total
}
