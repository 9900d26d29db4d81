import { noteChange } from '../../db/change-clock-store.js'
import { removedRows, type RemovePart } from '../../db/account-removal.js'
import { isInNumbers } from '../../db/json-list.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { forgetLater, removeDeletedPart } from './removal-store.js'
import { retireSomeSlugs } from './slug-store.js'
import { removeUseCounts } from './use-count-store.js'

/** Removes the deployments of an account that is being deleted. Operator store. */

const rowsAtOnce = 100

/** Locked in the order of their ids. Served by deployment_by_account (account_id, id). */
const some = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('deployment')
    .where('account_id', '=', p.accountId)
    .select('id')
    .orderBy('id')
    .limit(rowsAtOnce)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const remove = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('deployment').where(isInNumbers('id', p.ids, dialect)),
)

const removeSome = unit(import.meta, 'removeDeploymentsOfAccount', async (tx, accountId: number): Promise<boolean> => {
  const ids = (await tx.all(some, { accountId })).map(({ id }) => id)
  if (ids.length === 0) return false
  removeUseCounts(tx, ids)
  tx.send(remove, { ids: JSON.stringify(ids) })
  for (const id of ids) forgetLater(tx, id)
  noteChange(tx, 'deployments')
  return true
})

/**
 * Also removes the submissions and requests, which the job of a server would remove otherwise. The slugs stay, without the account: no
 * other account may use them.
 */
export const removeDeploymentsPart: RemovePart = async ({ db }, accountId) => {
  const isSomeLeft =
    (await db.write(removeSome, accountId)) ||
    (await db.write(retireSomeSlugs, accountId)) ||
    (await removeDeletedPart(db))
  return removedRows(!isSomeLeft)
}
