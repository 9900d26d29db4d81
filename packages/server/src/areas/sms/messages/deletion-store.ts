import { isInNumbers } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
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
  async (tx, accountId: number, ids: readonly number[]) => {
    await lockInbox(tx, accountId)
    const removed = await tx.run(removeByIds, { accountId, ids: JSON.stringify(ids) })
    if (removed > 0) noteRemoved(tx, accountId, removed)
    return removed
  },
)

export type DeletionStore = ReturnType<typeof deletionStore>

/** Deletes messages of an account. */
export const deletionStore = (db: Database) => ({
  /** @returns how many of them existed */
  delete: (account: Account, ids: readonly number[]): Promise<number> => db.write(deleteMessages, account.id, ids),
})
