import { sql } from 'kysely'
import type { Dialect, Reader } from '../db/port.js'
import { prepared } from '../db/prepared.js'

/** What the reader of new events needs of the database, besides the events. */

/** Served by the primary key. */
const bounds = prepared((db, p: { after: number }) =>
  db.selectNoFrom([
    db.selectFrom('account_event').select('id').where('id', '>', p.after).orderBy('id').limit(1).as('oldest'),
    db.selectFrom('account_event').select('id').where('id', '>', p.after).orderBy('id', 'desc').limit(1).as('newest'),
  ]),
)

/** The ids of the oldest and the newest event that are kept, of all accounts. */
export interface KeptEvents {
  /** Undefined without events, like `newest`. */
  readonly oldest: number | undefined
  readonly newest: number | undefined
}

export async function readKeptEvents(reader: Reader): Promise<KeptEvents> {
  const row = await reader.one(bounds, { after: 0 })
  return { oldest: row?.oldest ?? undefined, newest: row?.newest ?? undefined }
}

/** Served by account_event_by_account (account_id, id). */
const behind = prepared((db, p: { accountId: number; after: number; before: number }) =>
  db
    .selectFrom('account_event')
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .select('id')
    .orderBy('id')
    .limit(1)
    .offset(p.before),
)

/** Whether an account has at least so many events behind an id. */
export const isFarBehind = async (
  reader: Reader,
  { events, ...p }: { readonly accountId: number; readonly after: number; readonly events: number },
): Promise<boolean> => (await reader.one(behind, { ...p, before: events - 1 })) !== undefined

/** A transaction. */
export interface Writer {
  /** Opaque. */
  readonly id: string
  /** The process of PostgreSQL that runs it. */
  readonly pid: number
}

/**
 * PostgreSQL: a transaction has this lock before it gets the id of an event, and until its events are visible or rolled back. Its
 * `virtualtransaction` is never used again. SQLite has one writer at a time, so its ids are in the order of the commits.
 */
const writersFrom = (dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<Writer>`(select virtualtransaction as id, pid from pg_locks
        where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = cast('account_event' as regclass)
          and database = (select oid from pg_database where datname = current_database()))`
    : sql<Writer>`(select '' as id, 0 as pid where false)`

const writers = prepared((db, _: object, dialect) =>
  db.selectFrom(writersFrom(dialect).as<'writers'>(sql.ref('writers'))).select(['writers.id', 'writers.pid']),
)

/** The transactions that may still commit events with ids that they already have. */
export const readWriters = (reader: Reader): Promise<Writer[]> => reader.all(writers, {})
