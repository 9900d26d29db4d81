import { sql } from 'kysely'
import { ownedRows, tableNames, tables } from './tables.js'
import type { Reader } from '../db/port.js'
import { prepared } from '../db/prepared.js'

/** Counts the rows of an account in all tables. Operator store. */

/** Tables with rows of accounts, except the account itself. */
const ofAccounts = tableNames.filter((table) => table !== 'account' && tables[table].ownership.by !== 'installation')

/** Served by the indexes of the columns that the declarations name. */
const queries = ofAccounts.map((table) => {
  const count = prepared((db, p: { accountId: number }, dialect) =>
    db
      .selectFrom(table)
      .where(ownedRows(table, p.accountId, dialect) ?? sql<boolean>`false`)
      .select((row) => row.fn.countAll<number>().as('rows')),
  )
  return { table, count }
})

/** How many rows each table has of an account. Tables without any are left out. */
export async function countAccountRows(reader: Reader, accountId: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { table, count } of queries) {
    const rows = (await reader.one(count, { accountId }))?.rows ?? 0
    if (rows > 0) counts.set(table, rows)
  }
  return counts
}

/** The first table with rows of an account; undefined if none has. */
export async function tableOfAccount(reader: Reader, accountId: number): Promise<string | undefined> {
  const [first] = (await countAccountRows(reader, accountId)).keys()
  return first
}
