import { sql } from 'kysely'
import type { Database, Dialect } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { headBytes } from './envelope.js'
import { sealedTables, type SealedTable } from './sealed-tables.js'

/** A row whose data key is wrapped with another master key than the current one. */
export interface StaleRow {
  readonly id: number
  /** The first `headBytes` of the encrypted text; empty if it is shorter. */
  readonly head: Uint8Array
}

/** A row with its head before and after. */
export interface RewrappedRow {
  readonly id: number
  readonly from: Uint8Array
  readonly to: Uint8Array
}

const headColumn = sql<Buffer>`substr(sealed, 1, ${sql.lit(headBytes)})`

/** All sealed tables have the same columns, so one of them stands for all in the types. */
const asCredential = (table: SealedTable) => table as 'credential'

/** Served by the primary key: the whole table is read once, in parts. */
const staleRows = (table: SealedTable) =>
  prepared((db, p: { masterKeyId: string; after: number; rows: number }) =>
    db
      .selectFrom(asCredential(table))
      .where('id', '>', p.after)
      .where('master_key_id', '<>', p.masterKeyId)
      .select(['id', headColumn.as('head')])
      .orderBy('id')
      .limit(p.rows),
  )

/** @param json array of [id, old head, new head], in hexadecimal digits */
const givenRows = (json: string, dialect: Dialect) =>
  (dialect === 'postgres'
    ? sql<{ id: number }>`(
        select cast(value ->> 0 as bigint) as id, decode(value ->> 1, 'hex') as head, decode(value ->> 2, 'hex') as next
        from json_array_elements(cast(${json} as json))
      )`
    : sql<{ id: number }>`(
        select value ->> 0 as id, unhex(value ->> 1) as head, unhex(value ->> 2) as next from json_each(${json})
      )`
  ).as<'given'>(sql.ref('given'))

/** Served by the primary key. A row that was stored again in the meantime has another head: it stays as it is. */
const replaceHeads = (table: SealedTable) =>
  prepared((db, p: { masterKeyId: string; json: string }, dialect) =>
    db
      .updateTable(asCredential(table))
      .from(givenRows(p.json, dialect))
      .set({
        master_key_id: p.masterKeyId,
        // SQLite concatenates bytes to a text.
        sealed: sql<Buffer>`cast(given.next || substr(sealed, ${sql.lit(headBytes + 1)}) as ${sql.raw(dialect === 'postgres' ? 'bytea' : 'blob')})`,
      })
      .where(sql<boolean>`${sql.ref(table)}.id = given.id and ${headColumn} = given.head`),
  )

const queries = Object.fromEntries(
  sealedTables.map((table) => [table, { stale: staleRows(table), replace: replaceHeads(table) }]),
) as Record<SealedTable, { stale: ReturnType<typeof staleRows>; replace: ReturnType<typeof replaceHeads> }>

const rewrapRows = unit(import.meta, 'rewrapRows', (tx, table: SealedTable, masterKeyId: string, json: string) =>
  tx.run(queries[table].replace, { masterKeyId, json }),
)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

export type RewrapStore = ReturnType<typeof rewrapStore>

/** Changes the master key of encrypted texts. System store: it reads the rows of all accounts, and none of the texts. */
export const rewrapStore = (db: Database) => ({
  /** The rows after an id that do not have the key, in the order of their ids. */
  stale: (table: SealedTable, masterKeyId: string, after: number, rows: number): Promise<StaleRow[]> =>
    db.all(queries[table].stale, { masterKeyId, after, rows }),

  /** @returns how many rows were changed: without those that were stored again or deleted in the meantime */
  rewrap: (table: SealedTable, masterKeyId: string, rows: readonly RewrappedRow[]): Promise<number> =>
    db.write(rewrapRows, table, masterKeyId, JSON.stringify(rows.map(({ id, from, to }) => [id, hex(from), hex(to)]))),
})
