import { sql } from 'kysely'
import type { Database, Dialect } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unit } from '../db/unit.js'
import type { TableName } from '../db/table-declaration.js'
import { headBytes } from '../ports/vault/envelope.js'
import type { RewrappedRow, SealedRows, StaleRow } from '../ports/vault/rotation.js'
import { tableNames, tables } from './tables.js'

const sealedTables = tableNames.filter((table) => tables[table].sealed !== undefined)

const headColumn = sql<Buffer>`substr(sealed, 1, ${sql.lit(headBytes)})`

/** All sealed tables have the same columns, so one of them stands for all in the types. */
const asCredential = (table: TableName) => table as 'credential'

/** Served by the primary key: the whole table is read once, in parts. */
const staleRows = (table: TableName) =>
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
const replaceHeads = (table: TableName) =>
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

const queries = new Map<string, { stale: ReturnType<typeof staleRows>; replace: ReturnType<typeof replaceHeads> }>(
  sealedTables.map((table) => [table, { stale: staleRows(table), replace: replaceHeads(table) }]),
)

function queriesOf(table: string) {
  const found = queries.get(table)
  if (found === undefined) throw new Error(`The table ${table} has no secrets.`)
  return found
}

const rewrapRows = unit(import.meta, 'rewrapRows', (tx, table: string, masterKeyId: string, json: string) =>
  tx.run(queriesOf(table).replace, { masterKeyId, json }),
)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Changes the master key of encrypted texts. System store: it reads the rows of all accounts, but not the texts. */
export const sealedRowsStore = (db: Database): SealedRows => ({
  tables: sealedTables,
  stale: (table, masterKeyId, after, rows): Promise<StaleRow[]> =>
    db.all(queriesOf(table).stale, { masterKeyId, after, rows }),
  rewrap: (table, masterKeyId, rows: readonly RewrappedRow[]) =>
    db.write(rewrapRows, table, masterKeyId, JSON.stringify(rows.map(({ id, from, to }) => [id, hex(from), hex(to)]))),
})
