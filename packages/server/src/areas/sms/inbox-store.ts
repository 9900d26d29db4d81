import { prepared } from '../../db/prepared.js'
import type { Transaction } from '../../db/transaction.js'

/** The counters of an account's messages. Their row orders all changes of the account's messages and keys. */

/** On PostgreSQL, writes that lock the row of one account run one after another (see `Unit.lockKey`). */
export const inboxLockKey = (accountId: number): string => `sms ${String(accountId)}`

const add = prepared((db, p: { accountId: number }) =>
  db
    .insertInto('sms_inbox')
    .values({ account_id: p.accountId, last_id: 0, removed_id: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

/** SQLite has one writer at a time and no row locks. */
const lock = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('sms_inbox')
    .where('account_id', '=', p.accountId)
    .select(['last_id as lastId', 'removed_id as removedId', 'deleted'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

export interface Inbox {
  /** Id of the newest message. */
  readonly lastId: number
  /** The messages up to this id are removed. */
  readonly removedId: number
  /** How many of the messages after it are deleted. */
  readonly deleted: number
}

/** How many messages an account has. */
export const keptCount = ({ lastId, removedId, deleted }: Inbox): number => lastId - removedId - deleted

/** Locks the inbox of an account until the transaction ends, and creates a missing one. */
export async function lockInbox(tx: Transaction, accountId: number): Promise<Inbox> {
  tx.send(add, { accountId })
  return tx.only(lock, { accountId })
}
