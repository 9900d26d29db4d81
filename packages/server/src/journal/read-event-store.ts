import { numberList } from '../db/json-list.js'
import type { Transaction } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { recordEvents, type AccountEvent } from './event-store.js'

/** Locked against their deletion until the transaction ends. SQLite has one writer at a time. */
const existing = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('account')
    .where('id', 'in', numberList(p.ids, dialect))
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forKeyShare()),
)

/**
 * Writes events that no change comes with, such as those of reads: no row that they change keeps the account from being deleted
 * meanwhile. Events of accounts that do not exist any more are left out.
 */
export async function recordReadEvents(tx: Transaction, events: readonly AccountEvent[]): Promise<void> {
  const ids = JSON.stringify([...new Set(events.map(({ accountId }) => accountId))])
  const found = new Set((await tx.all(existing, { ids })).map(({ id }) => id))
  recordEvents(
    tx,
    events.filter(({ accountId }) => found.has(accountId)),
  )
}
