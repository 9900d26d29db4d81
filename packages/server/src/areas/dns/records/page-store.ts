import type { RecordType } from '@svc/contract'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'
import { cutLongRows, readLongRows, type Page, type PageKey } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'
import { requireVerified, zoneKey } from '../zones/verified-store.js'
import { recordColumns } from './presenter.js'
import type { StoredRecord } from './record.js'

/** Pages of the records of a zone, for clients that ask for them. */

/** Of the values of one page: it is read and written on the event loop. 1,000 usual records have less. */
const pageMaxBytes = 512 * 1024

export interface RecordsPage extends Page<StoredRecord> {
  /** Number of records on all pages. */
  readonly total: number
}

interface ListKey {
  readonly zoneId: number
  readonly accountId: number
  readonly type: RecordType | null
}

/** Served by the primary key (zone_id, id). */
const selectListed = (db: Kysely<Tables>, { zoneId, accountId, type }: ListKey) => {
  const wanted = sql<RecordType>`cast(${type} as text)`
  return db
    .selectFrom('dns_record')
    .where('zone_id', '=', zoneId)
    .where('account_id', '=', accountId)
    .where(sql<boolean>`(${wanted} is null or type = ${wanted})`)
}

/** The lengths come from the rows' headers: SQLite does not read the values. */
const sizes = prepared((db, p: ListKey & { before: number; rows: number }) =>
  selectListed(db, p)
    .where('id', '<', p.before)
    .select(['id', sql<number>`octet_length(value)`.as('size')])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

const between = prepared((db, p: ListKey & { first: number; last: number }) =>
  selectListed(db, p).where('id', '>=', p.first).where('id', '<=', p.last).select(recordColumns).orderBy('id', 'desc'),
)

const count = prepared((db, p: ListKey) => selectListed(db, p).select((of) => of.fn.countAll<number>().as('count')))

/**
 * Reads pages of the records of a verified zone, newest first. A page has fewer records than asked for if they are long. One page in
 * each turn of the event loop.
 */
export function recordPages(db: Database) {
  const oneEachTurn = turns()
  /** @throws ApiError `forbidden_zone` */
  return async (account: Account, zone: string, type: RecordType | null, page: PageKey): Promise<RecordsPage> => {
    const { id: zoneId } = await requireVerified(db, zoneKey(account, zone))
    const key = { zoneId, accountId: account.id, type }
    return oneEachTurn(async () => {
      const counted = await db.one(count, key)
      const read = await readLongRows(page, pageMaxBytes, {
        sizes: (before, rows) => db.all(sizes, { ...key, before, rows }),
        between: (first, last) => db.all(between, { ...key, first, last }),
      })
      return { ...read, total: counted?.count ?? 0 }
    })
  }
}

/** The same of records in memory. @param records in the order of their ids */
export const pageOfRecords = async (records: readonly StoredRecord[], page: PageKey): Promise<RecordsPage> => ({
  ...(await cutLongRows(records, page, pageMaxBytes, ({ value }) => Buffer.byteLength(value))),
  total: records.length,
})
