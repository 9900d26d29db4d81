import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RecordType } from '@svc/contract'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { forbiddenZone } from '../zones/forbidden-zone.js'
import type { ZoneKey } from './plan.js'

/**
 * Lists of records as JSON text that the database writes: seven times as fast as rows that JavaScript serialises. A long
 * list is read and sent in pages, so that none of it holds the event loop.
 */

/** Bytes of content in one page, and the bytes that each record counts in addition to its content. */
const pageBytes = 256 * 1024
const recordBytes = 200

/** After so many attempts, the list of a zone that keeps changing is read in one turn. */
const attemptsMax = 3

/** Served by dns_claim_of_account and dns_zone's unique name. */
const verifiedZone = prepared((db, p: ZoneKey) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['dns_zone.id', 'dns_zone.version', 'dns_zone.content_bytes', 'dns_zone.last_record_id']),
)

/** @throws ApiError `forbidden_zone` */
export async function requireVerified(db: Database, account: Account, zone: string) {
  const found = await db.one(verifiedZone, { accountId: account.id, zone })
  if (found === undefined) throw forbiddenZone(zone)
  return found
}

interface Asked extends ZoneKey {
  readonly zoneId: number
  readonly type: RecordType | null
}

interface Page {
  /** Ids above this one … */
  readonly after: number
  /** … up to this one. */
  readonly last: number
}

const everything: Page = { after: 0, last: Number.MAX_SAFE_INTEGER }

const isOfType = (type: RecordType | null) => {
  const asked = sql<RecordType>`cast(${type} as text)`
  return sql<boolean>`(${asked} is null or type = ${asked})`
}

/** One record as JSON, and the aggregate that joins several with commas, in the order of ids. */
function jsonOf(zoneName: string, dialect: Dialect) {
  const zone = sql`cast(${zoneName} as text)`
  const object = dialect === 'postgres' ? sql`json_build_object` : sql`json_object`
  const record = sql`cast(${object}(
      'id', id, 'zone', ${zone}, 'type', type, 'host', host,
      'name', case host when '@' then ${zone} else host || '.' || ${zone} end,
      'value', value, 'ttl', ttl, 'priority', priority, 'created_at', created_at, 'updated_at', updated_at
    ) as text)`
  return sql<string>`coalesce(string_agg(${record}, ',' order by id), '')`
}

const weight = sql`octet_length(value) + octet_length(host) + cast(${sql.lit(recordBytes)} as integer)`
const pageNumber = sql<number>`sum(${weight}) over (order by id) / ${sql.lit(pageBytes)}`

/** Read in the order of the primary key (zone_id, id). */
const pageJson = prepared((db, p: Asked & Page, dialect) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('id', '>', p.after)
    .where('id', '<=', p.last)
    .where('account_id', '=', p.accountId)
    .where(isOfType(p.type))
    .select(jsonOf(p.zone, dialect).as('records')),
)

/** Where each page ends. SQLite takes the lengths from the rows' heads and does not read the values. */
const pageEnds = prepared((db, p: Asked) =>
  db
    .selectFrom(
      db
        .selectFrom('dns_record')
        .where('zone_id', '=', p.zoneId)
        .where('account_id', '=', p.accountId)
        .where(isOfType(p.type))
        .select(['id', pageNumber.as('page')])
        .as('numbered'),
    )
    .select((of) => of.fn.max('id').as('last'))
    .groupBy('page')
    .orderBy('page'),
)

/** All pages in one statement, so that they are of one moment. */
const pagesJson = prepared((db, p: Asked, dialect) =>
  db
    .selectFrom(
      db
        .selectFrom('dns_record')
        .where('zone_id', '=', p.zoneId)
        .where('account_id', '=', p.accountId)
        .where(isOfType(p.type))
        .selectAll()
        .select(pageNumber.as('page'))
        .as('numbered'),
    )
    .select(jsonOf(p.zone, dialect).as('records'))
    .groupBy('page')
    .orderBy('page'),
)

/** JSON text of a list; a long one as pieces of UTF-8. */
export type RecordsJson = string | readonly Buffer[]

/** Bytes of lists that are kept: the longest list of a zone within the default caps fits. */
const keptBytes = 16 * 1024 * 1024

interface KeptList {
  /** The version of the zone: while it is unchanged, so are the records. */
  readonly version: number
  readonly json: Promise<RecordsJson>
}

/** Lists in the order of creation, kept until the zone changes, in whichever process. */
export function recordLists(db: Database) {
  const kept = new LRUCache<string, KeptList & { readonly size: number }>({
    maxSize: keptBytes,
    sizeCalculation: ({ size }) => size,
  })
  /** Lists that are being read; concurrent requests share them. */
  const reading = new Map<string, KeptList>()

  return async (account: Account, zone: string, type: RecordType | null): Promise<RecordsJson> => {
    const found = await requireVerified(db, account, zone)
    const key = `${account.id} ${found.id} ${type ?? ''}`
    const ready = [kept.get(key), reading.get(key)].find((list) => list?.version === found.version)
    if (ready !== undefined) return ready.json
    const list = { version: found.version, json: read(account, { ...found, zone, type }) }
    reading.set(key, list)
    try {
      const json = await list.json
      kept.set(key, { ...list, size: sizeOf(json) })
      return json
    } finally {
      if (reading.get(key) === list) reading.delete(key)
    }
  }

  async function read(account: Account, { zone, type, ...found }: Found): Promise<RecordsJson> {
    const asked = { accountId: account.id, zone, zoneId: found.id, type }
    const whole = async () => (await db.one(pageJson, { ...asked, ...everything }))?.records ?? ''
    if (found.content_bytes + found.last_record_id * recordBytes <= pageBytes) return `[${await whole()}]`
    if (db.dialect === 'postgres')
      return inPieces((await db.all(pagesJson, asked)).map(({ records }) => Buffer.from(records)))
    let { version } = found
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const pages = await readPages(asked)
      const after = await requireVerified(db, account, zone)
      if (after.version === version) return inPieces(pages)
      version = after.version
    }
    return inPieces([Buffer.from(await whole())])
  }

  /** Reads page by page: SQLite reads on the event loop, so other work can run between the pages. */
  async function readPages(asked: Asked): Promise<Buffer[]> {
    const pages: Buffer[] = []
    let after = 0
    for (const { last } of await db.all(pageEnds, asked)) {
      await nextTurn()
      const page = await db.one(pageJson, { ...asked, after, last })
      pages.push(Buffer.from(page?.records ?? ''))
      after = last
    }
    return pages
  }
}

interface Found {
  readonly id: number
  readonly version: number
  readonly content_bytes: number
  readonly last_record_id: number
  readonly zone: string
  readonly type: RecordType | null
}

const comma = Buffer.from(',')

/** Pages between brackets, with commas; a page may have become empty since its end was read. */
function inPieces(pages: readonly Buffer[]): Buffer[] {
  const pieces = pages.filter(({ length }) => length > 0).flatMap((page) => [comma, page])
  return [Buffer.from('['), ...pieces.slice(1), Buffer.from(']')]
}

const sizeOf = (json: RecordsJson): number =>
  typeof json === 'string' ? json.length : json.reduce((sum, { length }) => sum + length, 0)
