import type { RecordType } from '@svc/contract'
import { sql, type Kysely } from 'kysely'
import type { Dialect, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { countFitting, readLongRows, type Page, type PageKey } from '../../../shared/page.js'
import type { Pause } from '../records/pages.js'
import { setPattern } from '../zones/change-text.js'
import type { HolderAction } from '../zones/journal-store.js'

/**
 * Reads the history of a zone. All queries are served by the primary key (zone_id, account_id, serial). After 4,294,967,295 changes the
 * serial begins again at 1: then the rows with a higher serial than the zone's are of the time before. They are not read, and removed by
 * the job of retention-store.ts.
 */

/** The rows that an account sees. */
export interface HistoryKey {
  readonly zoneId: number
  readonly accountId: number
  /** The serial of the zone now. */
  readonly latest: number
}

/** The records that a caller asks for; undefined for all. */
export interface HistoryFilter {
  /** Canonical. */
  readonly host: string | undefined
  readonly type: RecordType | undefined
}

/** One row. */
export interface ChangeRow {
  /** The serial. */
  readonly id: number
  readonly at: number
  /** Empty for a change of records. */
  readonly action: HolderAction | ''
  readonly kind: Tables['zone_change']['actor_kind']
  readonly actorId: number | null
  readonly actorName: string
  /** Of `packRequestId`. */
  readonly requestId: string | null
  readonly removed: string
  readonly added: string
}

/** The rows of an account up to a serial. A query has one upper limit: SQLite compares each row below the first with a second one. */
const upTo = (db: Kysely<Tables>, p: Pick<HistoryKey, 'zoneId' | 'accountId'>, last: number) =>
  db
    .selectFrom('zone_change')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('serial', '<=', last)

/** Some rows that are next to each other. */
interface Range extends HistoryKey {
  /** The serials of the first and the last. */
  readonly first: number
  readonly last: number
}

interface Newest extends HistoryKey {
  /** The serial of the newest row. */
  readonly last: number
  /** How many. */
  readonly rows: number
}

/** The newest rows below a serial. */
const below = (key: HistoryKey, before: number, rows: number): Newest => ({
  ...key,
  last: Math.min(before - 1, key.latest),
  rows,
})

interface FilteredRange extends Range {
  /** Of `setPattern`; empty for all rows. */
  readonly pattern: string
}

const filtered = (db: Kysely<Tables>, p: FilteredRange, dialect: Dialect) => {
  const pattern = sql`cast(${p.pattern} as text)`
  const has = (column: 'removed' | 'added') =>
    dialect === 'postgres'
      ? sql`strpos(${sql.ref(column)}, ${pattern}) > 0`
      : sql`instr(${sql.ref(column)}, ${pattern}) > 0`
  return upTo(db, p, p.last)
    .where('serial', '>=', p.first)
    .where(sql<boolean>`(${pattern} = '' or ${has('removed')} or ${has('added')})`)
    .orderBy('serial', 'desc')
}

/** The lengths come from the rows' headers: SQLite does not read the texts. */
const size = sql<number>`octet_length(removed) + octet_length(added)`.as('size')

const columns = [
  'serial as id',
  'at',
  'action',
  'actor_kind as kind',
  'actor_id as actorId',
  'actor_name as actorName',
  'request_id as requestId',
  'removed',
  'added',
] as const

const newestSizes = prepared((db, p: Newest) =>
  upTo(db, p, p.last).select(['serial as id', size]).orderBy('serial', 'desc').limit(p.rows),
)

const between = prepared((db, p: FilteredRange, dialect) => filtered(db, p, dialect).select(columns))

const sizesBetween = prepared((db, p: FilteredRange, dialect) =>
  filtered(db, p, dialect).select(['serial as id', size]),
)

/** How many of the rows there are, and the serial of the oldest of them. */
const countNewest = prepared((db, p: Newest) =>
  db
    .selectFrom(upTo(db, p, p.last).select('serial').orderBy('serial', 'desc').limit(p.rows).as('counted'))
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.min('serial').as('oldest')]),
)

const sizesAbove = prepared((db, p: HistoryKey & { after: number; rows: number }) =>
  upTo(db, p, p.latest).where('serial', '>', p.after).select(['serial as id', size]).orderBy('serial').limit(p.rows),
)

/** Oldest first. */
const textsAbove = prepared((db, p: HistoryKey & { after: number; last: number }) =>
  upTo(db, p, p.last).where('serial', '>', p.after).select(['serial as id', 'removed', 'added']).orderBy('serial'),
)

const bySerial = prepared((db, p: HistoryKey & { serial: number }) =>
  upTo(db, p, p.latest).where('serial', '=', p.serial).select(columns),
)

const newestUpTo = prepared((db, p: HistoryKey & { serial: number }) =>
  upTo(db, p, p.serial).select(['serial', 'action']).orderBy('serial', 'desc').limit(1),
)

const oldestOf = prepared((db, p: HistoryKey) =>
  upTo(db, p, p.latest).select(['serial', 'action']).orderBy('serial').limit(1),
)

/** Of the texts of one page: it is read on the event loop. */
export const pageMaxBytes = 512 * 1024

/** How many rows are looked at for one page of bytes. */
const rowsAtOnce = 1000

/** How many rows are counted in one turn of the event loop: in a millisecond. */
const rowsPerCount = 10_000

/** A page, newest first, of a history without a filter. It has fewer rows than asked for if they are long. @param page `before` is a serial */
export const readPage = (reader: Reader, key: HistoryKey, page: PageKey): Promise<Page<ChangeRow>> =>
  readLongRows(page, pageMaxBytes, {
    sizes: (before, rows) => reader.all(newestSizes, below(key, before, rows)),
    between: (first, last) => reader.all(between, { ...key, first, last, pattern: '' }),
  })

/** How many rows a history has. */
export async function countRows(reader: Reader, key: HistoryKey, pause: Pause): Promise<number> {
  let total = 0
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const counted = await reader.one(countNewest, below(key, before, rowsPerCount))
    total += counted?.count ?? 0
    if (counted === undefined || counted.count < rowsPerCount) return total
    before = counted.oldest
    await pause()
  }
}

/** A page of the rows that a filter selects, newest first, and how many there are on all pages. All rows are looked through. */
export async function readFiltered(
  reader: Reader,
  key: HistoryKey,
  filter: HistoryFilter,
  page: PageKey,
  pause: Pause,
): Promise<Page<ChangeRow> & { readonly total: number }> {
  const pattern = patternOf(filter)
  const candidates: { id: number; size: number }[] = []
  let total = 0
  for await (const range of rangesOf(reader, key)) {
    const found = await reader.all(sizesBetween, { ...range, pattern })
    total += found.length
    for (const row of found) if (row.id < page.before && candidates.length <= page.limit) candidates.push(row)
    await pause()
  }
  const { entries, next } = await readLongRows(page, pageMaxBytes, {
    sizes: async () => candidates,
    between: (first, last) => reader.all(between, { ...key, first, last, pattern }),
  })
  return { entries, next, total }
}

/** All rows that a filter selects, newest first, in pages. */
export async function* readAll(
  reader: Reader,
  key: HistoryKey,
  filter: HistoryFilter,
): AsyncGenerator<ChangeRow[], void> {
  const pattern = patternOf(filter)
  for await (const range of rangesOf(reader, key)) yield await reader.all(between, { ...range, pattern })
}

/** The history in ranges whose texts can be read in one turn of the event loop, the newest first. */
async function* rangesOf(reader: Reader, key: HistoryKey): AsyncGenerator<Range, void> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const sizes = await reader.all(newestSizes, below(key, before, rowsAtOnce))
    const [newest, oldest] = [sizes[0], sizes[countFitting(sizes, pageMaxBytes) - 1]]
    if (newest === undefined || oldest === undefined) return
    yield { ...key, first: oldest.id, last: newest.id }
    before = oldest.id
  }
}

const patternOf = ({ host, type }: HistoryFilter): string =>
  setPattern({ ...(host !== undefined && { host }), ...(type !== undefined && { type }) })

/** All rows after a serial, oldest first, in pages. */
export async function* readSince(
  reader: Reader,
  key: HistoryKey,
  serial: number,
): AsyncGenerator<Pick<ChangeRow, 'id' | 'removed' | 'added'>[], void> {
  for (let after = serial; ;) {
    const sizes = await reader.all(sizesAbove, { ...key, after, rows: rowsAtOnce })
    const last = sizes[countFitting(sizes, pageMaxBytes) - 1]
    if (last === undefined) return
    yield await reader.all(textsAbove, { ...key, after, last: last.id })
    after = last.id
  }
}

/** The row of one change. */
export const readChange = (reader: Reader, key: HistoryKey, serial: number): Promise<ChangeRow | undefined> =>
  reader.one(bySerial, { ...key, serial })

/** Whether the history reaches back to a serial, at which the account held the zone. */
export async function reaches(reader: Reader, key: HistoryKey, serial: number): Promise<boolean> {
  if (serial > key.latest) return false
  const last = await reader.one(newestUpTo, { ...key, serial })
  if (last !== undefined) return last.action !== 'lost' && last.action !== 'delete'
  const oldest = await reader.one(oldestOf, key)
  if (oldest === undefined) return serial === key.latest
  // Every change increments the serial by one, so the state before the oldest row had the serial before it.
  return oldest.action !== 'claim' && serial === oldest.serial - 1
}
