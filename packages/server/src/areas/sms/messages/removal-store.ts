import { sql } from 'kysely'
import { limitsOfAccount, toLimits } from '../../../db/account-limits.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Transaction } from '../../../db/transaction.js'
import { unit } from '../../../db/unit.js'
import { limitOf } from '../../../shared/account-limits.js'
import { inboxLockKey, keptCount, lockInbox, type Inbox } from '../inbox-store.js'

/** Served by the primary key. */
const remove = prepared((db, p: { accountId: number; upTo: number }) =>
  db.deleteFrom('sms_message').where('account_id', '=', p.accountId).where('id', '<=', p.upTo),
)

/** Counts removed messages, and moves `removed_id` to just before the oldest one that is left. Served by the primary keys. */
const countRemoved = prepared((db, p: { accountId: number; removed: number }) => {
  const beforeOldest = sql<number>`coalesce((
    select min(id) from sms_message where account_id = ${p.accountId} and id > sms_inbox.removed_id
  ), last_id + 1) - 1`
  return db
    .updateTable('sms_inbox')
    .set((row) => ({
      removed_id: beforeOldest,
      deleted: sql<number>`${row.ref('removed_id')} + ${row.ref('deleted')} + cast(${p.removed} as bigint) - (${beforeOldest})`,
    }))
    .where('account_id', '=', p.accountId)
})

/** Counts messages that have been removed. System query: the caller has locked the inbox. */
export const noteRemoved = (tx: Transaction, accountId: number, removed: number): void => {
  tx.send(countRemoved, { accountId, removed })
}

/** Removes the oldest messages of an account. System query: the caller has locked the inbox. */
export async function removeUpTo(tx: Transaction, accountId: number, upTo: number): Promise<void> {
  noteRemoved(tx, accountId, await tx.run(remove, { accountId, upTo }))
}

/** Served by the primary key. */
const oldestId = prepared((db, p: { accountId: number; after: number; skip: number }) =>
  db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .select('id')
    .orderBy('id')
    .limit(1)
    .offset(p.skip),
)

/** The id up to which an account has so many messages, at least one. */
async function idOfOldest(tx: Transaction, accountId: number, inbox: Inbox, count: number): Promise<number> {
  if (inbox.deleted === 0) return inbox.removedId + count
  return (await tx.only(oldestId, { accountId, after: inbox.removedId, skip: count - 1 })).id
}

/**
 * Removes the oldest messages of an account beyond its maximum. System query: the caller has locked the inbox.
 * @param atOnce at most so many
 */
export async function removeOldest(
  tx: Transaction,
  accountId: number,
  inbox: Inbox,
  max: number,
  atOnce: number,
): Promise<void> {
  const excess = Math.min(keptCount(inbox) - max, atOnce)
  if (excess > 0) await removeUpTo(tx, accountId, await idOfOldest(tx, accountId, inbox, excess))
}

/** The messages to keep. */
export interface KeptMessages {
  /** Those that were stored at or after this time, in milliseconds since the epoch. */
  readonly since: number
  /** A message that was stored after this time was stored while the clock was wrong. */
  readonly latest: number
  /** At most so many of the newest; 0 for no limit. */
  readonly max: number
}

/** How many messages one unit removes. */
const stepMax = 200

/** How many messages one unit reads: more than a device sends while its server has the wrong time. */
const readMax = 2_000

interface OldestMessages extends Pick<KeptMessages, 'since' | 'latest'> {
  readonly accountId: number
  readonly after: number
  readonly upTo: number
}

/**
 * The newest of the oldest messages that is overdue, and has no younger message before it. A message of the future was stored while the
 * clock was wrong: it is removed with the next overdue one after it. Served by the primary key.
 */
const newestOverdue = prepared((db, p: OldestMessages) => {
  const oldest = db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .where('id', '<=', p.upTo)
  const firstKept = oldest
    .where('stored_at', '>=', p.since)
    .where('stored_at', '<=', p.latest)
    .select((message) => message.fn.min<number | null>('id').as('id'))
  return oldest
    .where('stored_at', '<', p.since)
    .where((message) => message('id', '<', message.fn.coalesce(firstKept, message('id', '+', 1))))
    .select((message) => message.fn.max<number | null>('id').as('id'))
})

/** @returns whether more may be left */
const removeOld = unit(
  import.meta,
  'removeOld',
  inboxLockKey,
  async (tx, accountId: number, { max, ...times }: KeptMessages) => {
    const inbox = await lockInbox(tx, accountId)
    const { lastId, removedId } = inbox
    const last = Math.min(removedId + stepMax, lastId)
    const upToRead = Math.min(removedId + readMax, lastId)
    const old = await tx.only(newestOverdue, { ...times, accountId, after: removedId, upTo: upToRead })
    const excess = max === 0 ? 0 : Math.min(keptCount(inbox) - max, stepMax)
    const tooMany = excess > 0 ? await idOfOldest(tx, accountId, inbox, excess) : 0
    const upTo = Math.min(Math.max(old.id ?? 0, tooMany), last)
    if (upTo <= removedId) return false
    await removeUpTo(tx, accountId, upTo)
    // After a gap, the next message has not been read.
    return upTo === last || inbox.deleted > 0
  },
)

/** How many accounts one read checks, on the event loop. */
const accountsMax = 200

/** A look-up for each account, served by the primary keys: PostgreSQL could run a join through all messages. */
const oldest = prepared((db, p: { after: number }) =>
  db
    .selectFrom('sms_inbox as inbox')
    .where('account_id', '>', p.after)
    .select(['account_id as accountId', 'last_id as lastId', 'removed_id as removedId', 'deleted'])
    .select(limitsOfAccount('inbox.account_id'))
    .select((inbox) =>
      inbox
        .selectFrom('sms_message as message')
        .whereRef('message.account_id', '=', 'inbox.account_id')
        .where((message) => message('message.id', '=', message('inbox.removed_id', '+', 1)))
        .select('stored_at')
        .as('storedAt'),
    )
    .orderBy('account_id')
    .limit(accountsMax),
)

/** An account that may have messages to remove. */
interface OverdueAccount {
  readonly accountId: number
  readonly kept: KeptMessages
}

/** Removes old messages of all accounts. System store. */
export const removalStore = (db: Database) => ({
  /**
   * The accounts that may have messages to remove, after an account in the order of their ids.
   * @param kept with the maximum of the setting
   * @returns with what each keeps, and the last checked account
   */
  async overdue(
    after: number,
    { since, latest, max: setting }: KeptMessages,
  ): Promise<{ accounts: OverdueAccount[]; last: number | undefined }> {
    const rows = (await db.all(oldest, { after })).map((row) => ({
      ...row,
      max: limitOf({ limits: toLimits(row) }, 'sms_messages', setting),
    }))
    const isOverdue = ({ max, ...row }: (typeof rows)[number]) =>
      (row.storedAt !== null && (row.storedAt < since || (since > 0 && row.storedAt > latest))) ||
      (max > 0 && keptCount(row) > max)
    const accounts = rows.filter(isOverdue).map(({ accountId, max }) => ({ accountId, kept: { since, latest, max } }))
    return { accounts, last: rows.at(-1)?.accountId }
  },

  /** Removes up to 200 of the oldest messages. @returns whether more may be left */
  removeBatch: (accountId: number, kept: KeptMessages): Promise<boolean> => db.write(removeOld, accountId, kept),
})
