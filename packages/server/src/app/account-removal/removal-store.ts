import { sql } from 'kysely'
import { areaTables, ownedRows, tables } from '../tables.js'
import { removedRows, type RemovalDependencies, type RemovedPart } from '../../db/account-removal.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { TableName } from '../../db/table-declaration.js'
import { unit } from '../../db/unit.js'
import { tableOfAccount } from '../account-rows-store.js'

/** Deletes accounts. Operator store. */

/** Few enough for a short transaction, also of credentials with 64 KiB each. */
const rowsAtOnce = 500

/** Rows that nothing outside the database depends on, in the order of their deletion: before those to which they refer. */
const plainTables = areaTables
  .filter(({ removePart }) => removePart === undefined)
  .flatMap((area) => Object.keys(area.tables) as TableName[])
  .filter((table) => table !== 'account' && tables[table].ownership.by !== 'installation')
  .filter((table) => tables[table].ownership.by !== 'referrer')
  .toReversed()

/** Served by the indexes that count the rows, and by the primary key. */
const removals = new Map(
  plainTables.map((table) => {
    const { hasGeneratedId, key = [hasGeneratedId ? 'id' : 'account_id'] } = tables[table]
    const columns = sql.join(key.map((column) => sql.ref(`${table}.${column}`)))
    const remove = prepared((db, p: { accountId: number }, dialect) =>
      db.deleteFrom(table).where(
        sql<boolean>`(${columns}) in (select ${columns} from ${sql.table(table)}
            where ${ownedRows(table, p.accountId, dialect)} limit ${sql.lit(rowsAtOnce)})`,
      ),
    )
    return [table, remove]
  }),
)

const removeSome = unit(import.meta, 'removeRowsOfAccount', async (tx, table: TableName, accountId: number) => {
  const remove = removals.get(table)
  return remove !== undefined && (await tx.run(remove, { accountId })) === rowsAtOnce
})

/** Waits for transactions that add rows of the account: their foreign keys lock it. SQLite has one writer at a time. */
const lock = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by account_by_state (state). */
const nextDeleted = prepared((db, p: { after: number }) =>
  db
    .selectFrom('account')
    .where('state', '=', 'deleted')
    .where('id', '>', p.after)
    .select(['id', 'email'])
    .orderBy('id')
    .limit(1),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('account').where('id', '=', p.id))

const removeAccount = unit(import.meta, 'removeAccount', async (tx, id: number) => {
  if ((await tx.one(lock, { id })) === undefined) return undefined
  const table = await tableOfAccount(tx, id)
  if (table === undefined) tx.send(remove, { id })
  return table
})

/**
 * Removes what an account has in all areas, in bounded parts. Its tokens and sessions are last: a request that was authenticated before
 * `endAccess` can have created one meanwhile.
 * @param done called after each part has been committed
 */
export async function removeOwnedRows(
  dependencies: RemovalDependencies,
  accountId: number,
  done: (part: RemovedPart) => Promise<void>,
): Promise<void> {
  for (const { removePart } of areaTables)
    for (let isDone = false; !isDone;) {
      const part = (await removePart?.(dependencies, accountId)) ?? removedRows(true)
      await done(part)
      isDone = part.isDone
    }
  for (const table of plainTables)
    for (let isDone = false; !isDone;) {
      isDone = !(await dependencies.db.write(removeSome, table, accountId))
      await done(removedRows(isDone))
    }
}

export const accountRemovalStore = (db: Database) => ({
  /** The next account that is being deleted. @param after the id of the one before */
  next: (after: number): Promise<{ id: number; email: string } | undefined> => db.one(nextDeleted, { after }),

  /** Deletes the account if no table has rows of it. @returns the first table that has; undefined if the account is deleted */
  remove: (id: number): Promise<string | undefined> => db.write(removeAccount, id),
})
