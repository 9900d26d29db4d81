import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Transaction } from '../../../db/transaction.js'
import { unit } from '../../../db/unit.js'
import { inboxLockKey, lockInbox } from '../keys/inbox-store.js'

/** Served by the primary key. */
const remove = prepared((db, p: { accountId: number; upTo: number }) =>
  db.deleteFrom('sms_message').where('account_id', '=', p.accountId).where('id', '<=', p.upTo),
)

const noteRemoved = prepared((db, p: { accountId: number; upTo: number }) =>
  db.updateTable('sms_inbox').set({ removed_id: p.upTo }).where('account_id', '=', p.accountId),
)

/** Removes the oldest messages of an account. System query: the caller has locked the inbox. */
export async function removeUpTo(tx: Transaction, accountId: number, upTo: number): Promise<void> {
  await tx.run(remove, { accountId, upTo })
  await tx.run(noteRemoved, { accountId, upTo })
}

/** The messages to keep. */
export interface Kept {
  /** Those that were stored at or after this time, in milliseconds since the epoch. */
  readonly since: number
  /** At most so many of the newest; 0 for no limit. */
  readonly max: number
}

/** How many messages one unit removes. */
const stepMax = 200

/** The newest message before a time, of the oldest ones. Served by the primary key. */
const newestBefore = prepared((db, p: { accountId: number; after: number; upTo: number; before: number }) =>
  db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .where('id', '<=', p.upTo)
    .where('stored_at', '<', p.before)
    .select((message) => message.fn.max<number | null>('id').as('id')),
)

/** @returns whether more may be left */
const removeOld = unit(import.meta, 'removeOld', inboxLockKey, async (tx, accountId: number, { since, max }: Kept) => {
  const { lastId, removedId } = await lockInbox(tx, accountId)
  const last = Math.min(removedId + stepMax, lastId)
  const old = await tx.only(newestBefore, { accountId, after: removedId, upTo: last, before: since })
  const tooMany = max === 0 ? 0 : lastId - max
  const upTo = Math.min(Math.max(old.id ?? 0, tooMany), last)
  if (upTo <= removedId) return false
  await removeUpTo(tx, accountId, upTo)
  return upTo === last
})

/** How many accounts one read checks, on the event loop. */
const accountsMax = 200

/** Served by the primary keys. */
const oldest = prepared((db, p: { after: number }) =>
  db
    .selectFrom('sms_inbox as inbox')
    .leftJoin('sms_message as message', (join) =>
      join
        .onRef('message.account_id', '=', 'inbox.account_id')
        .on((on) => on('message.id', '=', on('inbox.removed_id', '+', 1))),
    )
    .where('inbox.account_id', '>', p.after)
    .select(['inbox.account_id as accountId', 'last_id as lastId', 'removed_id as removedId'])
    .select('message.stored_at as storedAt')
    .orderBy('inbox.account_id')
    .limit(accountsMax),
)

/** Removes old messages of all accounts. System store. */
export const removalStore = (db: Database) => ({
  /** @returns the accounts with messages to remove, after an account in the order of their ids, and the last checked account */
  async overdue(after: number, { since, max }: Kept): Promise<{ accounts: number[]; last: number | undefined }> {
    const rows = await db.all(oldest, { after })
    const isOverdue = (row: (typeof rows)[number]) =>
      (row.storedAt !== null && row.storedAt < since) || (max > 0 && row.lastId - row.removedId > max)
    return { accounts: rows.filter(isOverdue).map(({ accountId }) => accountId), last: rows.at(-1)?.accountId }
  },

  /** Removes up to 200 of the oldest messages. @returns whether more may be left */
  removeSome: (accountId: number, kept: Kept): Promise<boolean> => db.write(removeOld, accountId, kept),
})
