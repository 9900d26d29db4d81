import { removedRows, type RemoveAccountPart } from '../../../db/account-removal.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/** Removes the domains and the calendar of an account that is being deleted. Operator store. */

const rowsAtOnce = 1_000

const removeCalendar = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('domain_calendar').where('account_id', '=', p.accountId),
)

/** Served by domain_once (account_id, name). */
const remove = prepared((db, p: { accountId: number }) =>
  db
    .deleteFrom('domain')
    .where('id', 'in', (from) =>
      from.selectFrom('domain').where('account_id', '=', p.accountId).select('id').limit(rowsAtOnce),
    ),
)

const removeSome = unit(import.meta, 'removeDomainsOfAccount', async (tx, accountId: number) => {
  tx.send(removeCalendar, { accountId })
  return (await tx.run(remove, { accountId })) < rowsAtOnce
})

export const removeDomainsPart: RemoveAccountPart = async (db, accountId) =>
  removedRows(await db.write(removeSome, accountId))
