import type { Database } from '../../src/db/port.js'
import { prepared } from '../../src/db/prepared.js'
import type {} from '../../src/journal/tables.js'
import { readEventsAfter, type EventRow } from '../../src/journal/page-store.js'

const newest = prepared((db) =>
  db.selectFrom('account_event').select((row) => row.fn.max<number | null>('id').as('id')),
)

const all = prepared((db) => db.selectFrom('account_event').selectAll())

/** The id of the newest event of all accounts; 0 without any. */
export const newestEvent = async (db: Database): Promise<number> => (await db.one(newest, {}))?.id ?? 0

/** The events of a request after an event, of all accounts, as far as they can be shown. */
export const eventsOfRequest = async (db: Database, after: number, requestId: unknown): Promise<EventRow[]> =>
  (await readEventsAfter(db, { after, rows: 1_000 })).filter((row) => row.requestId === requestId && row.area !== null)

/** All columns of all rows of the table. */
export const storedEvents = (db: Database): Promise<readonly object[]> => db.all(all, {})
