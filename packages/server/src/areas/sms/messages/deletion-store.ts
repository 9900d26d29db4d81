import { isInNumbers } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { inboxLockKey, lockInbox } from '../inbox-store.js'
import { noteRemoved } from './removal-store.js'

/** Served by the primary key. */
const removeByIds = prepared((db, p: { accountId: number; ids: string }, dialect) =>
  db
    .deleteFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where(isInNumbers('id', p.ids, dialect)),
)

const deleteMessages = unit(
  import.meta,
  'deleteMessages',
  inboxLockKey,
  async (tx, accountId: number, ids: readonly number[], at: number, actor: Actor) => {
    await lockInbox(tx, accountId)
    const removed = await tx.run(removeByIds, { accountId, ids: JSON.stringify(ids) })
    if (removed === 0) return 0
    noteRemoved(tx, accountId, removed)
    const before = { count: removed }
    recordEvent(tx, { accountId, at, area: 'sms', action: 'messages_delete', object: '', actor, before })
    return removed
  },
)

export type DeletionStore = ReturnType<typeof deletionStore>

/** Deletes messages of an account. */
export const deletionStore = (db: Database) => ({
  /** @returns how many of them existed */
  delete: (account: Account, ids: readonly number[]): Promise<number> =>
    db.write(deleteMessages, account.id, ids, Date.now(), account.actor),
})
