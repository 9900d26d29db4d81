import { sql } from 'kysely'
import { isInNumbers, numberList } from '../../../db/json-list.js'
import type { Dialect, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { turns } from '../../../shared/turns.js'

/** Domains that are read at a time: with the longest notes and registrations, a page takes some milliseconds. */
const pageRows = 500

/** The expression of the index domain_by_expiry: unknown dates last. */
const expiry = sql<number>`coalesce(expires_at, 9007199254740991)`

/** A JSON array, sorted. SQLite reads the ids in the order of domain_by_expiry, and keeps this order in the array. */
const idsJson = prepared((db, p: { accountId: number }, dialect) => {
  const ids = db.selectFrom('domain').where('account_id', '=', p.accountId)
  return dialect === 'postgres'
    ? ids.select(sql<string | null>`cast(json_agg(id order by ${expiry}, name) as text)`.as('ids'))
    : db
        .selectFrom(ids.select('id').orderBy(expiry).orderBy('name').as('sorted'))
        .select(sql<string | null>`json_group_array(id)`.as('ids'))
})

/** A JSON object with the fields of `Domain`. The name needs no escapes. */
const entryJson = (dialect: Dialect) => {
  const note = dialect === 'postgres' ? sql`cast(to_json(note) as text)` : sql`json_quote(note)`
  return sql<string>`'{"id":' || id || ',"domain":"' || name || '","note":' || ${note} || ',' || substr(registration, 2)`
}

/**
 * The elements of a JSON array, in the order of the ids. SQLite reads the tables of a CROSS JOIN in their order, which spares the sort.
 * Its text comes as bytes, because a long string would be converted twice. Served by the primary key. The ids are of rows that were
 * read for the account: with a condition on it, PostgreSQL would read all domains of the account for each page.
 */
const pageJson = prepared((db, p: { accountId: number; ids: string }, dialect) => {
  const entry = entryJson(dialect).as('entry')
  if (dialect === 'postgres') {
    const entries = db
      .selectFrom('domain')
      .where(isInNumbers('id', p.ids, dialect))
      .select(['name', expiry.as('expiry'), entry])
    return db
      .selectFrom(entries.as('entries'))
      .select(sql<string | Buffer | null>`string_agg(entry, ',' order by expiry, name)`.as('entries'))
  }
  const listed = numberList(p.ids, dialect).as<'listed'>(sql.ref('listed'))
  const entries = db
    .selectFrom(listed)
    .crossJoin('domain')
    .whereRef('domain.id', '=', sql.ref('listed.value'))
    .where('account_id', '=', p.accountId)
    .select(entry)
  return db
    .selectFrom(entries.as('entries'))
    .select(sql<string | Buffer | null>`cast(string_agg(entry, ',') as blob)`.as('entries'))
})

const separator = Buffer.from(',')

/** Lists of all domains of an account. */
export function listStore(db: Pick<Reader, 'one'>) {
  const oneEachTurn = turns()

  /** Undefined if all its domains have been removed meanwhile. */
  async function page(accountId: number, ids: readonly number[]): Promise<Buffer | undefined> {
    const { entries } = (await db.one(pageJson, { accountId, ids: JSON.stringify(ids) })) ?? {}
    if (entries === undefined || entries === null) return undefined
    return Buffer.isBuffer(entries) ? entries : Buffer.from(entries)
  }

  return {
    /**
     * The elements of a JSON array in pieces of UTF-8, soonest expiry first, unknown ones last, then by name. The ids are read first,
     * so that a domain whose expiry changes meanwhile is listed once. One page in each turn of the event loop.
     */
    listJson: async (account: Account): Promise<Buffer[]> => {
      const { ids: json } = (await oneEachTurn(() => db.one(idsJson, { accountId: account.id }))) ?? {}
      const ids = JSON.parse(json ?? '[]') as number[]
      const pieces: Buffer[] = []
      for (let first = 0; first < ids.length; first += pageRows) {
        const piece = await oneEachTurn(() => page(account.id, ids.slice(first, first + pageRows)))
        if (piece !== undefined) pieces.push(...(pieces.length > 0 ? [separator] : []), piece)
      }
      return pieces
    },
  }
}
