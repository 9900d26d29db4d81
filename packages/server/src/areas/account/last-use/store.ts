import { sql } from 'kysely'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvents, type AccountEvent } from '../../../journal/event-store.js'
import { tokenActor } from '../../../shared/actor.js'
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

/** The token must be used in another network for so long until that is an event again: a client may alternate between two. */
const networkEventEveryMs = 3_600_000

/** A token that is used in another network than the one that is stored. */
interface Moved {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly at: number
  readonly from: string
  readonly network: string
}

/** On PostgreSQL the rows stay locked: the statement that follows sees the same tokens. */
const moved = prepared((db, p: { uses: string }, dialect) =>
  db
    .selectFrom(usedRows('token', p.uses, dialect))
    .innerJoin('token', (join) => join.on(sql<boolean>`token.id = uses.id`))
    .where(sql<boolean>`token.last_used_at < uses.at and token.last_used_network <> uses.network`)
    .where(sql<boolean>`coalesce(token.network_noted_at, 0) <= uses.at - ${sql.lit(networkEventEveryMs)}`)
    .select(['token.id', 'token.account_id as accountId', 'token.name', 'uses.at'])
    .select([sql<string>`token.last_used_network`.as('from'), sql<string>`uses.network`.as('network')]),
)

/** @param p.notes JSON list of `id` and `at` */
const noteNetworks = prepared((db, p: { notes: string }, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.notes} as json))` : sql`json_each(${p.notes})`
  return db
    .updateTable('token')
    .from(
      sql<{ id: number; at: number }>`(select cast(value ->> 'id' as bigint) as id, cast(value ->> 'at' as bigint) as at
        from ${rows})`.as<'notes'>(sql.ref('notes')),
    )
    .set((row) => ({ network_noted_at: row.ref('notes.at') }))
    .where(sql<boolean>`token.id = notes.id`)
})

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

const networkEvent = ({ id, accountId, name, at, from, network }: Moved): AccountEvent => ({
  accountId,
  at,
  area: 'account',
  action: 'token_network',
  object: name,
  actor: tokenActor({ id, name }),
  network,
  before: { network: from },
  after: { network },
})

const saveUses = unit(import.meta, 'saveUses', async (tx, table: UsedTable, used: Uses) => {
  const uses = JSON.stringify(used)
  const tokens = table === 'token' ? await tx.all(moved, { uses }) : []
  tx.send(touchByTable[table], { uses })
  if (tokens.length === 0) return
  tx.send(noteNetworks, { notes: JSON.stringify(tokens.map(({ id, at }) => ({ id, at }))) })
  recordEvents(tx, tokens.map(networkEvent))
})

/** When tokens and sessions were last used. Its method takes no account: it saves the uses of all accounts together. */
export const lastUseStore = (db: Database) => ({
  save: (table: UsedTable, uses: Uses): Promise<void> => db.write(saveUses, table, uses),
})
