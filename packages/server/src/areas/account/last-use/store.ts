import { sql } from 'kysely'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Batch } from '../../../shared/write-batch.js'

/** A use of a token or a session. */
export interface Use {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The network of the client; null for a session, which has its address. */
  readonly network: string | null
}

/** By id of a token or a session, its last use. */
export type Uses = Batch<Use>

export type UsedTable = 'token' | 'session'

type UsedRow = Use & { readonly id: number }

/**
 * The used rows as a table `uses (id, at, network)`. On PostgreSQL it omits rows that another transaction has locked, because that
 * transaction deletes them or saves a use of the same half minute. Waiting could cause a deadlock with a process that saves
 * the same uses or ends the sessions of an account.
 * @param json of `Uses`
 */
const usedRows = (table: UsedTable, json: string, dialect: Dialect) =>
  (dialect === 'postgres'
    ? sql<UsedRow>`(
        select id, cast(used.value -> 1 ->> 'at' as bigint) as at, used.value -> 1 ->> 'network' as network
        from json_array_elements(cast(${json} as json)) as used
        join ${sql.table(table)} on id = cast(used.value ->> 0 as bigint)
        order by id for update of ${sql.table(table)} skip locked
      )`
    : sql<UsedRow>`(select value ->> 0 as id, value ->> '$[1].at' as at, value ->> '$[1].network' as network
        from json_each(${json}))`
  ).as<'uses'>(sql.ref('uses'))

/** One statement for all rows. A later time in the database stays. */
const touch = (table: UsedTable, column: 'last_used_at' | 'last_seen_at') =>
  prepared((db, p: { uses: string }, dialect) =>
    db
      .updateTable(table)
      .from(usedRows(table, p.uses, dialect))
      .set((row) => ({
        [column]: row.ref('uses.at'),
        ...(table === 'token' && { last_used_network: row.ref('uses.network') }),
      }))
      .where(sql<boolean>`${sql.ref(table)}.id = uses.id`)
      .where(sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} < uses.at)`),
  )

const touchByTable = { token: touch('token', 'last_used_at'), session: touch('session', 'last_seen_at') }

/** Served by token_by_account and session_by_account. */
const newest = prepared((db, p: { accountId: number }) =>
  db.selectNoFrom((of) => [
    of
      .selectFrom('token')
      .where('account_id', '=', p.accountId)
      .select((row) => row.fn.max<number | null>('last_used_at').as('at'))
      .as('token'),
    of
      .selectFrom('session')
      .where('account_id', '=', p.accountId)
      .select((row) => row.fn.max<number | null>('last_seen_at').as('at'))
      .as('session'),
  ]),
)

/**
 * When a token or a session of an account was last used, to the minute. Operator query.
 * @returns milliseconds since the epoch; null if none has been used, or all have been removed
 */
export async function lastUseOf(db: Database, accountId: number): Promise<number | null> {
  const { token, session } = (await db.one(newest, { accountId })) ?? {}
  const last = Math.max(token ?? 0, session ?? 0)
  return last === 0 ? null : last
}

const saveUses = unit(import.meta, 'saveUses', async (tx, table: UsedTable, uses: Uses) => {
  tx.send(touchByTable[table], { uses: JSON.stringify(uses) })
})

/** When tokens and sessions were last used. Its method takes no account: it saves the uses of all accounts together. */
export const lastUseStore = (db: Database) => ({
  save: (table: UsedTable, uses: Uses): Promise<void> => db.write(saveUses, table, uses),
})
