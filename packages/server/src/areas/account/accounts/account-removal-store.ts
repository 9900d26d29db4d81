import { removedRows, type RemoveAccountPart } from '../../../db/account-removal.js'
import { tableOfAccount } from '../../../db/account-rows-store.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/** Deletes accounts. Operator store. */

const removeTokens = prepared((db, p: { id: number }) => db.deleteFrom('token').where('account_id', '=', p.id))
const removeSessions = prepared((db, p: { id: number }) => db.deleteFrom('session').where('account_id', '=', p.id))

const setPassword = prepared((db, p: { id: number; passwordHash: string }) =>
  db.updateTable('account').set({ password_hash: p.passwordHash }).where('id', '=', p.id),
)

/** Waits for transactions that add rows of the account: their foreign keys lock it. SQLite has one writer at a time. */
const lock = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('account').where('id', '=', p.id))

const endAccess = unit(import.meta, 'endAccess', async (tx, id: number, passwordHash: string) => {
  tx.send(setPassword, { id, passwordHash })
  tx.send(removeTokens, { id })
  tx.send(removeSessions, { id })
})

const removeAccess = unit(import.meta, 'removeAccess', async (tx, id: number) => {
  tx.send(removeTokens, { id })
  tx.send(removeSessions, { id })
})

const removeAccount = unit(import.meta, 'removeAccount', async (tx, id: number) => {
  if ((await tx.one(lock, { id })) === undefined) return undefined
  const table = await tableOfAccount(tx, id)
  if (table === undefined) tx.send(remove, { id })
  return table
})

/** Removes the tokens and sessions that a request has created after `endAccess`. */
export const removeAccessPart: RemoveAccountPart = async (db, accountId) => {
  await db.write(removeAccess, accountId)
  return removedRows(true)
}

export const accountRemovalStore = (db: Database) => ({
  /**
   * Removes all tokens and sessions: from now on no request is authenticated.
   * @param passwordHash of a random password, which replaces that of the account
   */
  endAccess: (id: number, passwordHash: string): Promise<void> => db.write(endAccess, id, passwordHash),

  /** Deletes the account if no table has rows of it. @returns the first table that has; undefined if the account is deleted */
  remove: (id: number): Promise<string | undefined> => db.write(removeAccount, id),
})
