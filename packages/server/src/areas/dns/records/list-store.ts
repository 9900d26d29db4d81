import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RecordType } from '@svc/contract'
import { sql, type Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'
import { requireVerified, type ZoneKey } from '../zones/verified-store.js'
import { jsonFields } from './presenter.js'

/**
 * Lists of records as JSON text. The database writes it, which is seven times as fast as rows that JavaScript serialises. A
 * long list is read and sent in pages, so that it does not block the event loop.
 */

/** Bytes of content in one page, and the bytes that each record counts in addition to its content. */
const pageBytes = 256 * 1024
const recordBytes = 200

/** After this many attempts, the list of a zone that keeps changing is read at once. */
const attemptsMax = 3

/** The requested list. */
interface ListKey extends ZoneKey {
  readonly zoneId: number
  readonly type: RecordType | null
}

/** A range of ids. */
interface Page {
  /** Exclusive. */
  readonly after: number
  /** Inclusive. */
  readonly last: number
}

const allIds: Page = { after: 0, last: Number.MAX_SAFE_INTEGER }

const isOfType = (type: RecordType | null) => {
  const wanted = sql<RecordType>`cast(${type} as text)`
  return sql<boolean>`(${wanted} is null or type = ${wanted})`
}

/** Records as JSON objects with the fields of `RecordJson`, joined with commas in the order of ids. */
function recordsJson(zoneName: string, dialect: Dialect) {
  const zone = sql`cast(${zoneName} as text)`
  const name = sql`case host when '@' then ${zone} else host || '.' || ${zone} end`
  const valueOf = (field: (typeof jsonFields)[number]) => {
    if (field === 'zone') return zone
    return field === 'name' ? name : sql.ref(field)
  }
  const pairs = jsonFields.map((field) => sql`${sql.lit(field)}, ${valueOf(field)}`)
  const object = dialect === 'postgres' ? sql`json_build_object` : sql`json_object`
  const record = sql`cast(${object}(${sql.join(pairs)}) as text)`
  return sql<string>`coalesce(string_agg(${record}, ',' order by id), '')`
}

const weight = sql`octet_length(value) + octet_length(host) + cast(${sql.lit(recordBytes)} as integer)`
const pageNumber = sql<number>`sum(${weight}) over (order by id) / ${sql.lit(pageBytes)}`

/** The records of a list, not yet with their columns. */
const selectListed = (db: Kysely<Tables>, p: ListKey) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where(isOfType(p.type))

/** Read in the order of the primary key (zone_id, id). */
const pageJson = prepared((db, p: ListKey & Page, dialect) =>
  selectListed(db, p)
    .where('id', '>', p.after)
    .where('id', '<=', p.last)
    .select(recordsJson(p.zone, dialect).as('records')),
)

/** The last id of each page. SQLite takes the lengths from the rows' headers and does not read the values. */
const pageEnds = prepared((db, p: ListKey) =>
  db
    .selectFrom(
      selectListed(db, p)
        .select(['id', pageNumber.as('page')])
        .as('numbered'),
    )
    .select((of) => of.fn.max('id').as('last'))
    .groupBy('page')
    .orderBy('page'),
)

/** All pages in one statement, so that they show one snapshot. */
const pagesJson = prepared((db, p: ListKey, dialect) =>
  db
    .selectFrom(selectListed(db, p).selectAll().select(pageNumber.as('page')).as('numbered'))
    .select(recordsJson(p.zone, dialect).as('records'))
    .groupBy('page')
    .orderBy('page'),
)

/** JSON text of a list. A long list is in pieces of UTF-8. */
export type RecordsJson = string | readonly Buffer[]

/** Size of the cache in bytes: the longest list of a zone within the default caps fits. */
const cacheBytes = 16 * 1024 * 1024

interface CachedList {
  /** The serial of the zone: an unchanged serial means unchanged records. */
  readonly serial: number
  readonly json: Promise<RecordsJson>
}

/** Lists in the order of creation. They are cached until the zone changes, in this or another process. */
export function recordLists(db: Database) {
  const cache = new LRUCache<string, CachedList & { readonly size: number }>({
    maxSize: cacheBytes,
    sizeCalculation: ({ size }) => size,
  })
  /** Lists that are being read; concurrent requests share them. */
  const reading = new Map<string, CachedList>()

  return async (account: Account, zone: string, type: RecordType | null): Promise<RecordsJson> => {
    const found = await requireVerified(db, { accountId: account.id, zone })
    const key = `${account.id} ${found.id} ${type ?? ''}`
    const ready = [cache.get(key), reading.get(key)].find((list) => list?.serial === found.serial)
    if (ready !== undefined) return ready.json
    const list = { serial: found.serial, json: read(account, { ...found, zone, type }) }
    reading.set(key, list)
    try {
      const json = await list.json
      cache.set(key, { ...list, size: sizeOf(json) })
      return json
    } finally {
      if (reading.get(key) === list) reading.delete(key)
    }
  }

  async function read(account: Account, { zone, type, ...found }: Found): Promise<RecordsJson> {
    const key = { accountId: account.id, zone, zoneId: found.id, type }
    const whole = async () => (await db.one(pageJson, { ...key, ...allIds }))?.records ?? ''
    if (found.content_bytes + found.last_record_id * recordBytes <= pageBytes) return `[${await whole()}]`
    if (db.dialect === 'postgres')
      return joinPages((await db.all(pagesJson, key)).map(({ records }) => Buffer.from(records)))
    let { serial } = found
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const pages = await readPages(key)
      const after = await requireVerified(db, { accountId: account.id, zone })
      if (after.serial === serial) return joinPages(pages)
      serial = after.serial
    }
    return joinPages([Buffer.from(await whole())])
  }

  /** Reads page by page: SQLite reads on the event loop, so other work can run between the pages. */
  async function readPages(key: ListKey): Promise<Buffer[]> {
    const pages: Buffer[] = []
    let after = 0
    for (const { last } of await db.all(pageEnds, key)) {
      await nextTurn()
      const page = await db.one(pageJson, { ...key, after, last })
      pages.push(Buffer.from(page?.records ?? ''))
      after = last
    }
    return pages
  }
}

interface Found {
  readonly id: number
  readonly serial: number
  readonly content_bytes: number
  readonly last_record_id: number
  readonly zone: string
  readonly type: RecordType | null
}

const comma = Buffer.from(',')

/** A JSON list of the pages. A page may have become empty since its end was read. */
function joinPages(pages: readonly Buffer[]): Buffer[] {
  const pieces = pages.filter(({ length }) => length > 0).flatMap((page) => [comma, page])
  return [Buffer.from('['), ...pieces.slice(1), Buffer.from(']')]
}

const sizeOf = (json: RecordsJson): number =>
  typeof json === 'string' ? json.length : json.reduce((sum, { length }) => sum + length, 0)
