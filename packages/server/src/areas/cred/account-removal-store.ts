import { removedRows, type RemoveAccountPart } from '../../db/account-removal.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'

/** Removes the credentials of an account that is being deleted. Operator store. */

const rowsAtOnce = 500

/** Served by credential_name (account_id, platform, label). */
const remove = prepared((db, p: { accountId: number }) =>
  db
    .deleteFrom('credential')
    .where('id', 'in', (from) =>
      from.selectFrom('credential').where('account_id', '=', p.accountId).select('id').limit(rowsAtOnce),
    ),
)

const removeSome = unit(
  import.meta,
  'removeCredentialsOfAccount',
  async (tx, accountId: number) => (await tx.run(remove, { accountId })) < rowsAtOnce,
)

export const removeCredentialsPart: RemoveAccountPart = async (db, accountId) =>
  removedRows(await db.write(removeSome, accountId))
