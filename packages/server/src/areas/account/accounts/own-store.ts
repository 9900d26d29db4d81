import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent, recordOperatorEvent } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import { endResets } from '../password-reset/store.js'
import { clearWaits } from '../sign-in/store.js'
import { recordEmailChange, taken } from './store.js'

/**
 * Changes that the owner of an account makes with the password. Each takes effect only while the account has the password that was
 * verified: a change of the password ends the changes of whoever had the former one.
 */

const replacePassword = prepared((db, p: { id: number; from: string; to: string }) =>
  db
    .updateTable('account')
    .set({ password_hash: p.to })
    .where('id', '=', p.id)
    .where('password_hash', '=', p.from)
    .returning('id'),
)

const replaceEmail = prepared((db, p: { id: number; passwordHash: string; email: string }) =>
  db
    .updateTable('account')
    .set({ email: p.email })
    .where('id', '=', p.id)
    .where('password_hash', '=', p.passwordHash)
    .returning('id'),
)

const byEmail = prepared((db, p: { email: string }) =>
  db.selectFrom('account').where('email', '=', p.email).select('id'),
)

const emailOf = prepared((db, p: { id: number }) => db.selectFrom('account').where('id', '=', p.id).select('email'))

const markDeleted = prepared((db, p: { id: number; passwordHash: string }) =>
  db.updateTable('account').set({ state: 'deleted', password_hash: p.passwordHash }).where('id', '=', p.id),
)

const isPasswordOf = prepared((db, p: { id: number; passwordHash: string }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .where('password_hash', '=', p.passwordHash)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const endSessions = prepared((db, p: { id: number }) => db.deleteFrom('session').where('account_id', '=', p.id))

const endTokens = prepared((db, p: { id: number }) => db.deleteFrom('token').where('account_id', '=', p.id))

/** Hashes of passwords: the verified one, and the one that replaces it. */
interface Hashes {
  readonly from: string
  readonly to: string
}

/** The account that a change is made in, as it was when its password was verified. */
type Changed = Pick<Account, 'id' | 'email' | 'actor'>

const changed = ({ id, email, actor }: Account): Changed => ({ id, email, actor })

const changePassword = unit(
  import.meta,
  'changePassword',
  async (tx, { id, email, actor }: Changed, hashes: Hashes, revokesTokens: boolean) => {
    const isChanged = (await tx.one(replacePassword, { id, ...hashes })) !== undefined
    if (!isChanged) return false
    const event = { accountId: id, at: Date.now(), area: 'account', object: '', actor } as const
    recordEvent(tx, { ...event, action: 'password_change' })
    tx.send(endSessions, { id })
    endResets(tx, id)
    const count = revokesTokens ? await tx.run(endTokens, { id }) : 0
    if (count > 0) recordEvent(tx, { ...event, action: 'tokens_revoke', after: { count } })
    clearWaits(tx, email)
    return true
  },
)

const changeEmail = unit(
  import.meta,
  'changeEmail',
  async (tx, { id, email: before, actor }: Changed, passwordHash: string, email: string) => {
    const other = await tx.one(byEmail, { email })
    if (other !== undefined && other.id !== id) throw taken(email)
    if ((await tx.one(replaceEmail, { id, passwordHash, email })) === undefined) return false
    endResets(tx, id)
    if (email !== before) recordEmailChange(tx, { id, actor }, before, email)
    return true
  },
)

const endAccess = unit(import.meta, 'endAccess', async (tx, id: number, from: string | null, passwordHash: string) => {
  if (from !== null && (await tx.one(isPasswordOf, { id, passwordHash: from })) === undefined) return false
  if (from === null) {
    const object = (await tx.one(emailOf, { id }))?.email ?? ''
    recordOperatorEvent(tx, { at: Date.now(), command: 'svc user delete', object, accountId: id })
  }
  tx.send(markDeleted, { id, passwordHash })
  tx.send(endTokens, { id })
  tx.send(endSessions, { id })
  return true
})

export type OwnStore = ReturnType<typeof ownStore>

/** Each method resolves with false, and changes nothing, if the account has another password than the one that was verified. */
export const ownStore = (db: Database) => ({
  /** Ends all sessions, and the waits of the email. @param revokesTokens whether all tokens end too */
  changePassword: (account: Account, hashes: Hashes, revokesTokens: boolean): Promise<boolean> =>
    db.write(changePassword, changed(account), hashes, revokesTokens),

  /** Sessions and tokens stay. @throws ApiError `bad_request` if the email already has an account */
  changeEmail: (account: Account, passwordHash: string, email: string): Promise<boolean> =>
    db.write(changeEmail, changed(account), passwordHash, email).catch(async (error: unknown) => {
      // Another transaction may have given the email to an account after the unit has looked for it.
      const other = await db.one(byEmail, { email })
      throw other === undefined || other.id === account.id ? error : taken(email)
    }),

  /**
   * Ends all tokens and sessions for ever: from now on no request is authenticated, and a server removes what the account has.
   * @param from the hash of the verified password; null for the operator
   * @param passwordHash of a random password, which replaces that of the account
   */
  endAccess: (id: number, from: string | null, passwordHash: string): Promise<boolean> =>
    db.write(endAccess, id, from, passwordHash),
})
