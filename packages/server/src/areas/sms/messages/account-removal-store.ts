import { removedRows, type RemovePart } from '../../../db/account-removal.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { inboxLockKey, lockInbox } from '../inbox-store.js'
import { removeUpTo } from './removal-store.js'

/** Removes the messages and forwarder keys of an account that is being deleted. Operator store. */

const rowsAtOnce = 1_000

const removeKeys = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('sms_key').where('account_id', '=', p.accountId),
)

const removeInbox = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('sms_inbox').where('account_id', '=', p.accountId),
)

const removeSome = unit(import.meta, 'removeMessagesOfAccount', inboxLockKey, async (tx, accountId: number) => {
  const { lastId, removedId } = await lockInbox(tx, accountId)
  tx.send(removeKeys, { accountId })
  const upTo = Math.min(removedId + rowsAtOnce, lastId)
  await removeUpTo(tx, accountId, upTo)
  if (upTo === lastId) tx.send(removeInbox, { accountId })
  return upTo === lastId
})

export const removeMessagesPart: RemovePart = async ({ db }, accountId) =>
  removedRows(await db.write(removeSome, accountId))
