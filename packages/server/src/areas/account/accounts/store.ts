import { ApiError, badRequestSentence } from '@svc/contract/errors'
import { limitsColumns, toLimits, type LimitsRow } from '../../../db/account-limits.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { operatorActor, type Actor } from '../../../shared/actor.js'
import type { AccountState } from '../../../shared/account-state.js'
import { anyAccount, endSetupCodes, lockFirst } from '../first-run/store.js'
import { clearWaits } from '../sign-in/store.js'

/** A row with `accountColumns`. */
export interface AccountRow extends LimitsRow {
  id: number
  email: string
  nickname: string
  created_at: number
}

/** The columns that `toAccount` reads. */
export const accountColumns = [
  'account.id',
  'account.email',
  'account.nickname',
  'account.created_at',
  ...limitsColumns,
] as const

/** An account as the sign-in and the operator's commands find it. */
export interface KnownAccount extends Account {
  readonly passwordHash: string
  readonly state: AccountState
}

export interface NewAccount {
  readonly email: string
  readonly nickname: string
  /** argon2id in PHC string form. */
  readonly passwordHash: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

const operator = operatorActor('svc')

/** @param actor the operator for an account that was found without a request */
export const toAccount = (
  { id, email, nickname, created_at, ...limits }: AccountRow,
  actor: Actor = operator,
): Account => ({ id, email, nickname, createdAt: created_at, limits: toLimits(limits), actor })

const insert = prepared((db, p: NewAccount) =>
  db
    .insertInto('account')
    .values({ email: p.email, nickname: p.nickname, password_hash: p.passwordHash, created_at: p.now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(accountColumns),
)

/** Served by the unique index on email. */
const byEmail = prepared((db, p: { email: string }) =>
  db
    .selectFrom('account')
    .where('email', '=', p.email)
    .select([...accountColumns, 'password_hash', 'state']),
)

const updateNickname = prepared((db, p: { id: number; nickname: string }) =>
  db.updateTable('account').set({ nickname: p.nickname }).where('id', '=', p.id),
)

const updatePassword = prepared((db, p: { id: number; passwordHash: string }) =>
  db.updateTable('account').set({ password_hash: p.passwordHash }).where('id', '=', p.id),
)

const updateEmail = prepared((db, p: { id: number; email: string }) =>
  db.updateTable('account').set({ email: p.email }).where('id', '=', p.id),
)

const endSessions = prepared((db, p: { id: number }) => db.deleteFrom('session').where('account_id', '=', p.id))

const addAccount = unit(import.meta, 'addAccount', async (tx, account: NewAccount) => {
  tx.send(lockFirst, {})
  const row = await tx.one(insert, account)
  if (row === undefined) throw taken(account.email)
  endSetupCodes(tx)
  return toAccount(row)
})

const addFirstAccount = unit(
  import.meta,
  'addFirstAccount',
  () => 'account first',
  async (tx, account: NewAccount) => {
    tx.send(lockFirst, {})
    if ((await tx.one(anyAccount, {})) !== undefined) throw hasFirst()
    endSetupCodes(tx)
    return toAccount(await tx.only(insert, account))
  },
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('account').where('id', '=', p.id))

const removeAccount = unit(import.meta, 'removeAccount', async (tx, id: number) => {
  tx.send(remove, { id })
})

const setNickname = unit(import.meta, 'setNickname', async (tx, id: number, nickname: string) => {
  tx.send(updateNickname, { id, nickname })
})

const setEmail = unit(import.meta, 'setEmail', async (tx, id: number, email: string) => {
  tx.send(updateEmail, { id, email })
})

/** Another account has the email. */
export const taken = (email: string) => badRequestSentence('email', `${email} already has an account`)

/** 403 for the creation of a first account beside another one. */
export const hasFirst = () =>
  new ApiError('forbidden', 'The first account exists already: sign in, or ask the operator for an account.')

const setPassword = unit(import.meta, 'setPassword', async (tx, id: number, email: string, passwordHash: string) => {
  tx.send(updatePassword, { id, passwordHash })
  tx.send(endSessions, { id })
  clearWaits(tx, email)
})

export type AccountStore = ReturnType<typeof accountStore>

/** Accounts. The operator's commands and the sign-in are the only callers that may see other accounts. */
export const accountStore = (db: Database) => ({
  /** @throws ApiError `bad_request` if the email already has an account */
  add: (account: NewAccount): Promise<Account> => db.write(addAccount, account),

  /** Of simultaneous calls, also in several processes, one creates its account. @throws ApiError `forbidden` if there is an account */
  addFirst: (account: NewAccount): Promise<Account> => db.write(addFirstAccount, account),

  /** By the email in lower case. */
  byEmail: async (email: string): Promise<KnownAccount | undefined> => {
    const row = await db.one(byEmail, { email })
    return row && { ...toAccount(row), passwordHash: row.password_hash, state: row.state }
  },

  /** Undoes `add`, while the account has no other rows. */
  removeAdded: (account: Account): Promise<void> => db.write(removeAccount, account.id),

  hasAny: async (): Promise<boolean> => (await db.one(anyAccount, {})) !== undefined,

  setNickname: (account: Account, nickname: string): Promise<void> => db.write(setNickname, account.id, nickname),

  /** Tokens, sessions and the password stay. For the operator. @throws ApiError `bad_request` if the email already has an account */
  setEmail: (account: Account, email: string): Promise<void> =>
    db.write(setEmail, account.id, email).catch(async (error: unknown) => {
      // Not checked before: another process may give the email to an account in between.
      const other = await db.one(byEmail, { email })
      throw other === undefined ? error : taken(email)
    }),

  /** Also ends all sessions, so that a browser that signed in with the old password must sign in again, and the waits of the email. */
  setPassword: (account: Account, passwordHash: string): Promise<void> =>
    db.write(setPassword, account.id, account.email, passwordHash),
})
