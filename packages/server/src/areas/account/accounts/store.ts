import { ApiError, badRequestSentence } from '@svc/contract/errors'
import { limitsColumns, toLimits, type LimitsRow } from '../../../db/account-limits.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent, recordOperatorEvent } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import { operatorActor, type Actor } from '../../../shared/actor.js'
import type { AccountState } from '../../../shared/account-state.js'
import { anyAccount, endSetupCodes, lockFirst } from '../first-run/store.js'
import { endResets } from '../password-reset/store.js'
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
  /** The operator if left out. */
  readonly actor?: Actor
}

const operator = operatorActor('svc')

/** @param actor the operator for an account that was found without a request */
export const toAccount = (
  { id, email, nickname, created_at, ...limits }: AccountRow,
  actor: Actor = operator,
): Account => ({ id, email, nickname, createdAt: created_at, limits: toLimits(limits), actor })

const insert = prepared((db, p: Omit<NewAccount, 'actor'>) =>
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

/** Locked until the transaction ends. SQLite has one writer at a time. */
const namesOf = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .select(['email', 'nickname'])
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
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

/** @returns the account, with its first event */
function added(tx: Transaction, row: AccountRow, { actor = operator, now: at }: NewAccount): Account {
  const { id: accountId, email, nickname } = row
  const event = { accountId, at, area: 'account', action: 'account_create', object: '', actor } as const
  recordEvent(tx, { ...event, after: { email, nickname } })
  return toAccount(row)
}

const addAccount = unit(import.meta, 'addAccount', async (tx, account: NewAccount) => {
  tx.send(lockFirst, {})
  const row = await tx.one(insert, account)
  if (row === undefined) throw taken(account.email)
  endSetupCodes(tx)
  return added(tx, row, account)
})

const addFirstAccount = unit(
  import.meta,
  'addFirstAccount',
  () => 'account first',
  async (tx, account: NewAccount) => {
    tx.send(lockFirst, {})
    if ((await tx.one(anyAccount, {})) !== undefined) throw hasFirst()
    endSetupCodes(tx)
    return added(tx, await tx.only(insert, account), account)
  },
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('account').where('id', '=', p.id))

const removeEvents = prepared((db, p: { id: number }) => db.deleteFrom('account_event').where('account_id', '=', p.id))

const removeAccount = unit(import.meta, 'removeAccount', async (tx, id: number, object: string) => {
  tx.send(removeEvents, { id })
  tx.send(remove, { id })
  const after = { state: 'deleted' }
  recordOperatorEvent(tx, { at: Date.now(), command: 'svc user add', object, accountId: null, after })
})

const setNickname = unit(import.meta, 'setNickname', async (tx, id: number, nickname: string, actor: Actor) => {
  const before = (await tx.one(namesOf, { id }))?.nickname
  if (before === undefined || before === nickname) return
  tx.send(updateNickname, { id, nickname })
  recordEvent(tx, {
    accountId: id,
    at: Date.now(),
    area: 'account',
    action: 'nickname_change',
    object: '',
    actor,
    before: { nickname: before },
    after: { nickname },
  })
})

/** Writes the event of a change of the email. */
export function recordEmailChange(
  tx: Transaction,
  { id: accountId, actor }: Pick<Account, 'id' | 'actor'>,
  before: string,
  email: string,
): void {
  const event = { accountId, at: Date.now(), area: 'account', action: 'email_change', object: '', actor } as const
  recordEvent(tx, { ...event, before: { email: before }, after: { email } })
}

const setEmail = unit(import.meta, 'setEmail', async (tx, id: number, email: string, actor: Actor) => {
  const before = (await tx.one(namesOf, { id }))?.email
  if (before === undefined || before === email) return
  tx.send(updateEmail, { id, email })
  endResets(tx, id)
  recordEmailChange(tx, { id, actor }, before, email)
})

/** Another account has the email. */
export const taken = (email: string) => badRequestSentence('email', `${email} already has an account`)

/** 403 for the creation of a first account beside another one. */
export const hasFirst = () =>
  new ApiError('forbidden', 'The first account exists already: sign in, or ask the operator for an account.')

const setPassword = unit(
  import.meta,
  'setPassword',
  async (tx, { id, email, actor }: Pick<Account, 'id' | 'email' | 'actor'>, passwordHash: string) => {
    tx.send(updatePassword, { id, passwordHash })
    tx.send(endSessions, { id })
    endResets(tx, id)
    clearWaits(tx, email)
    recordEvent(tx, { accountId: id, at: Date.now(), area: 'account', action: 'password_change', object: '', actor })
  },
)

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
  removeAdded: (account: Account): Promise<void> => db.write(removeAccount, account.id, account.email),

  hasAny: async (): Promise<boolean> => (await db.one(anyAccount, {})) !== undefined,

  setNickname: (account: Account, nickname: string): Promise<void> =>
    db.write(setNickname, account.id, nickname, account.actor),

  /** Tokens, sessions and the password stay. For the operator. @throws ApiError `bad_request` if the email already has an account */
  setEmail: (account: Account, email: string): Promise<void> =>
    db.write(setEmail, account.id, email, account.actor).catch(async (error: unknown) => {
      // Not checked before: another process may give the email to an account in between.
      const other = await db.one(byEmail, { email })
      throw other === undefined ? error : taken(email)
    }),

  /** Also ends all sessions, so that a browser that signed in with the old password must sign in again, and the waits of the email. */
  setPassword: ({ id, email, actor }: Account, passwordHash: string): Promise<void> =>
    db.write(setPassword, { id, email, actor }, passwordHash),
})
