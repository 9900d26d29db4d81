import { sql } from 'kysely'
import { isInNumbers } from '../db/json-list.js'
import type { Database, Reader } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unit } from '../db/unit.js'
import { readOperatorEvents } from './operator-event-store.js'

/**
 * Removes the oldest events, in parts. System store. There is no index by time, which each event would pay for: ids grow with time, so the
 * oldest rows are the first ones of the primary key.
 */

/** How many rows are read at a time, and how many one transaction removes. */
const atOnce = 500

export type JournalTable = 'account_event' | 'operator_event'

interface IdAndTime {
  readonly id: number
  readonly at: number
}

interface IdAndArea {
  readonly id: number
  /** Null of a change of a zone. */
  readonly area: string | null
}

const queriesOf = (table: JournalTable) => ({
  /** Served by the primary key. */
  oldest: prepared((db, p: { after: number; rows: number }) =>
    db.selectFrom(table).where('id', '>', p.after).select(['id', 'at']).orderBy('id').limit(p.rows),
  ),

  /** Served by the primary key. */
  removeOld: prepared((db, p: { after: number; through: number; before: number }) =>
    db.deleteFrom(table).where('id', '>', p.after).where('id', '<=', p.through).where('at', '<', p.before),
  ),
})

const queries = { account_event: queriesOf('account_event'), operator_event: queriesOf('operator_event') }

const removeOld = unit(
  import.meta,
  'removeOldEvents',
  (table: JournalTable) => `old rows of ${table}`,
  async (tx, table: JournalTable, ids: { readonly after: number; readonly through: number }, before: number) => {
    tx.send(queries[table].removeOld, { ...ids, before })
  },
)

/** The first and the last event of an account. */
interface Span {
  readonly accountId: number
  /** Null without an event. */
  readonly first: number | null
  readonly last: number | null
}

const endOf = (order: 'asc' | 'desc', name: 'first' | 'last') =>
  sql<number | null>`(select account_event.id from account_event where account_event.account_id = account.id
    order by account_event.id ${sql.raw(order)} limit 1)`.as(name)

/** By account. Served by the primary key, and by account_event_by_account (account_id, id). */
const spans = prepared((db, p: { after: number; rows: number }) =>
  db
    .selectFrom('account')
    .where('id', '>', p.after)
    .select(['id as accountId', endOf('asc', 'first'), endOf('desc', 'last')])
    .orderBy('id')
    .limit(p.rows),
)

/** The newest event that an account has too many. Served by account_event_by_account. @param p.kept how many newer ones are kept */
const excess = prepared((db, p: { accountId: number; kept: number }) =>
  db
    .selectFrom('account_event')
    .where('account_id', '=', p.accountId)
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(sql<number>`${p.kept}`),
)

/** Oldest first. Served by account_event_by_account. */
const ofAccount = prepared((db, p: { accountId: number; after: number; through: number; rows: number }) =>
  db
    .selectFrom('account_event')
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .where('id', '<=', p.through)
    .select(['id', 'area'])
    .orderBy('id')
    .limit(p.rows),
)

/** Served by account_event_by_account. @param p.ids JSON list */
const remove = prepared((db, p: { accountId: number; ids: string }, dialect) =>
  db
    .deleteFrom('account_event')
    .where('account_id', '=', p.accountId)
    .where(isInNumbers('id', p.ids, dialect)),
)

const removeEvents = unit(
  import.meta,
  'removeEventsOfAccount',
  (accountId: number) => `events of ${String(accountId)}`,
  async (tx, accountId: number, ids: string) => {
    tx.send(remove, { accountId, ids })
  },
)

/** How many rows have been kept, and when the oldest one was written, in milliseconds since the epoch; null without a row. */
export interface KeptEvents {
  readonly count: number
  readonly oldest: number | null
}

const accountEvents = prepared((db, _: object) =>
  db.selectFrom('account_event').select((row) => row.fn.countAll<number>().as('n')),
)

const operatorEvents = prepared((db, _: object) =>
  db.selectFrom('operator_event').select((row) => row.fn.countAll<number>().as('n')),
)

const counts = { account_event: accountEvents, operator_event: operatorEvents }

/** For `svc doctor`: it counts all rows. */
export async function keptEvents(reader: Reader, table: JournalTable): Promise<KeptEvents> {
  const oldest = await reader.one(queries[table].oldest, { after: 0, rows: 1 })
  return { count: (await reader.one(counts[table], {}))?.n ?? 0, oldest: oldest?.at ?? null }
}

export const eventRetentionStore = (db: Database) => ({
  /**
   * Removes a part of the events before a time.
   * @param after the id that the part before ended at; 0 for the first one
   * @returns the same for the next part; undefined after the last one
   */
  async removeOld(table: JournalTable, after: number, before: number): Promise<number | undefined> {
    const rows: readonly IdAndTime[] = await db.all(queries[table].oldest, { after, rows: atOnce })
    // An event that was written while the clock was ahead does not keep those behind it.
    const through = rows.findLast(({ at }) => at < before)?.id
    if (through === undefined) return undefined
    await db.write(removeOld, table, { after, through }, before)
    return rows.length < atOnce ? undefined : rows.at(-1)?.id
  },

  /** All accounts, in parts. */
  async *spans(): AsyncGenerator<readonly Span[], void> {
    for (let after = 0; ;) {
      const part = await db.all(spans, { after, rows: atOnce })
      yield part
      const last = part.at(-1)
      if (last === undefined) return
      after = last.accountId
    }
  },

  /** The newest event that an account has beyond `kept`; undefined if it has not so many. */
  excess: async (accountId: number, kept: number): Promise<number | undefined> =>
    (await db.one(excess, { accountId, kept }))?.id,

  /** The events of an account up to an id, in parts, the oldest first. Those of a part may be removed. */
  async *eventsThrough(accountId: number, through: number): AsyncGenerator<readonly IdAndArea[], void> {
    for (let after = 0; ;) {
      const events: readonly IdAndArea[] = await db.all(ofAccount, { accountId, after, through, rows: atOnce })
      yield events
      const last = events.at(-1)
      if (last === undefined) return
      after = last.id
    }
  },

  remove: (accountId: number, events: readonly IdAndArea[]): Promise<void> =>
    db.write(removeEvents, accountId, JSON.stringify(events.map(({ id }) => id))),

  /**
   * Removes a part of the operator's journal behind its newest rows.
   * @param kept how many ids are kept: rows are as many or, where an id has no row, fewer
   * @returns whether there may be more
   */
  async removeExcessOfOperator(kept: number): Promise<boolean> {
    const [newest] = await readOperatorEvents(db, { before: Number.MAX_SAFE_INTEGER, rows: 1 })
    const rows = await db.all(queries.operator_event.oldest, { after: 0, rows: atOnce })
    const through = rows.findLast(({ id }) => id <= (newest?.id ?? 0) - kept)?.id
    if (through === undefined) return false
    await db.write(removeOld, 'operator_event', { after: 0, through }, Number.MAX_SAFE_INTEGER)
    return rows.at(-1)?.id === through
  },
})
