import type { Turns } from './turns.js'

/** A page of a list that is ordered from the newest id to the oldest. */
export interface PageKey {
  /** Maximum number of entries. */
  readonly limit: number
  /** Exclusive. */
  readonly before: number
}

/** The longest page, and the default. */
const limitMax = 1000

/** The page that a query of the contract asks for. */
export const pageKey = ({ limit = limitMax, before = Number.MAX_SAFE_INTEGER }: Partial<PageKey>): PageKey => ({
  limit,
  before,
})

/** The page that a query of a list asks for that comes whole by default; undefined for the whole list. */
export const requestedPage = (query: Partial<PageKey>): PageKey | undefined =>
  query.limit === undefined && query.before === undefined ? undefined : pageKey(query)

export interface Page<T> {
  readonly entries: readonly T[]
  /** `before` of the next page; null on the last page. */
  readonly next: number | null
}

/** Cuts a page from up to `limit + 1` rows: the extra row shows that another page exists. */
export function cutPage<T extends { readonly id: number }>(rows: readonly T[], limit: number): Page<T> {
  const entries = rows.slice(0, limit)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null }
}

/** How many rows fit into a page whose texts have at most `maxBytes`; at least one. */
export function countFitting(rows: readonly { readonly size: number }[], maxBytes: number): number {
  let bytes = 0
  const tooLong = rows.findIndex(({ size }) => (bytes += size) > maxBytes)
  return tooLong === -1 ? rows.length : Math.max(tooLong, 1)
}

/** Rows with long texts, which are counted before they are read. */
interface LongRows<T> {
  /** Ids and sizes of at most `rows` rows with ids below `before`, the newest first. */
  readonly sizes: (before: number, rows: number) => Promise<{ readonly id: number; readonly size: number }[]>
  /** The rows of a range of ids, both ends included, the newest first. */
  readonly between: (first: number, last: number) => Promise<T[]>
}

/** Reads a page of at most `maxBytes`, or of one row: it has fewer rows than its limit if they are long. */
export async function readLongRows<T>(
  { limit, before }: PageKey,
  maxBytes: number,
  { sizes, between }: LongRows<T>,
): Promise<Page<T>> {
  const candidates = await sizes(before, limit + 1)
  const fitting = candidates.slice(0, countFitting(candidates.slice(0, limit), maxBytes))
  const [newest, oldest] = [fitting[0], fitting.at(-1)]
  if (!newest || !oldest) return { entries: [], next: null }
  return { entries: await between(oldest.id, newest.id), next: candidates.length > fitting.length ? oldest.id : null }
}

/** The same of a list in memory. @param list ordered from the oldest id to the newest @param size of an entry, in bytes */
export function cutLongRows<T extends { readonly id: number }>(
  list: readonly T[],
  key: PageKey,
  maxBytes: number,
  size: (entry: T) => number,
): Promise<Page<T>> {
  const older = list.filter(({ id }) => id < key.before).toReversed()
  return readLongRows(key, maxBytes, {
    sizes: async (_, rows) => older.slice(0, rows).map((entry) => ({ id: entry.id, size: size(entry) })),
    between: async (first, last) => older.filter(({ id }) => id >= first && id <= last),
  })
}

/** How many entries are read and written as JSON in one turn of the event loop. They take milliseconds. */
const batchEntries = 1_000

/** Yields a list in batches, one in each turn of the event loop. @param oneEachTurn the result of `turns()` */
export async function* yieldBatches<T>(list: readonly T[], oneEachTurn: Turns): AsyncGenerator<readonly T[]> {
  for (let first = 0; first < list.length; first += batchEntries)
    yield await oneEachTurn(async () => list.slice(first, first + batchEntries))
}

/**
 * Reads a list of any length in batches, from the newest id to the oldest. One batch in each turn of the event loop.
 * @param read returns at most `rows` rows with ids below `before`, the newest first
 * @param oneEachTurn the result of `turns()`
 */
export async function* readNewestFirst<T extends { readonly id: number }>(
  read: (before: number, rows: number) => Promise<T[]>,
  oneEachTurn: Turns,
): AsyncGenerator<T[], undefined> {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const below = before
    const batch = await oneEachTurn(() => read(below, batchEntries))
    yield batch
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchEntries) return undefined
    before = last.id
  }
}
