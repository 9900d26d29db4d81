import { removedRows, type RemovePart } from '../../db/account-removal.js'
import { noteChange } from '../../db/change-clock-store.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'

/** Removes the certificates of an account that is being deleted, with their keys: they are served no more. Operator store. */

/** Served by certificate_of_account. */
const removeCertificates = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('certificate').where('account_id', '=', p.accountId),
)

/** Served by certificate_order_by_account. */
const removeOrders = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('certificate_order').where('account_id', '=', p.accountId),
)

const removePart = unit(import.meta, 'removeCertificatesOfAccount', async (tx, accountId: number) => {
  tx.send(removeOrders, { accountId })
  if ((await tx.run(removeCertificates, { accountId })) > 0) noteChange(tx, 'certificates')
})

export const removeCertificatesPart: RemovePart = async ({ db }, accountId) => {
  await db.write(removePart, accountId)
  return removedRows(true)
}
