import { sql } from 'kysely'
import { badRequestSentence } from '@svc/contract/errors'
import { lockAccount } from '../../../db/account-lock-store.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { Actor } from '../../../shared/actor.js'
import { digest } from '../secrets.js'
import { clearWaits } from '../sign-in/store.js'

/** Tokens of the links that set a new password. */

/** How many links of an account work at a time: an e-mail that is sent again has another one. */
const linksMax = 5

interface NewReset {
  readonly hash: Uint8Array
  readonly accountId: number
  /** The address that the link is sent to. */
  readonly email: string
  readonly expiresAt: number
  readonly now: number
}

/** None for an account that is suspended, or has another address meanwhile. */
const insert = prepared((db, p: NewReset) =>
  db
    .insertInto('password_reset')
    .columns(['hash', 'account_id', 'expires_at'])
    .expression((from) =>
      from
        .selectFrom('account')
        .where('id', '=', p.accountId)
        .where('email', '=', p.email)
        .where('state', '=', sql.lit('active'))
        .select([
          sql<Uint8Array>`${p.hash}`.as('hash'),
          'id',
          sql<number>`cast(${p.expiresAt} as bigint)`.as('expires_at'),
        ]),
    )
    .returning('account_id'),
)

/** Served by password_reset_by_account (account_id). */
const removeOldest = prepared((db, p: { accountId: number; max: number }) =>
  db.deleteFrom('password_reset').where('hash', 'in', (from) =>
    from
      .selectFrom('password_reset')
      .where('account_id', '=', p.accountId)
      .select('hash')
      .orderBy('expires_at', 'desc')
      // SQLite has no offset without a limit.
      .limit(1_000)
      .offset(p.max),
  ),
)

/** Served by password_reset_by_end (expires_at). */
const removeExpired = prepared((db, p: { now: number }) =>
  db
    .deleteFrom('password_reset')
    .where('hash', 'in', (from) =>
      from
        .selectFrom('password_reset')
        .where('expires_at', '<=', p.now)
        .select('hash')
        .orderBy('expires_at')
        .limit(100),
    ),
)

const addReset = unit(import.meta, 'addReset', async (tx, reset: NewReset) => {
  // A change of the email or the password locks the account too, and ends its links.
  lockAccount(tx, reset.accountId)
  tx.send(removeExpired, { now: reset.now })
  if ((await tx.one(insert, { ...reset, hash: Buffer.from(reset.hash) })) === undefined) return false
  tx.send(removeOldest, { accountId: reset.accountId, max: linksMax })
  return true
})

/** Served by the primary key. */
const valid = prepared((db, p: { hash: Uint8Array; now: number }) =>
  db
    .selectFrom('password_reset')
    .innerJoin('account', 'account.id', 'password_reset.account_id')
    .where('password_reset.hash', '=', p.hash)
    .where('password_reset.expires_at', '>', p.now)
    .where('account.state', '=', sql.lit('active'))
    .select(['account.id', 'account.email']),
)

/** Of simultaneous uses of a token, one removes its row. */
const use = prepared((db, p: { hash: Uint8Array; accountId: number }) =>
  db
    .deleteFrom('password_reset')
    .where('hash', '=', p.hash)
    .where('account_id', '=', p.accountId)
    .returning('account_id'),
)

const removeAll = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('password_reset').where('account_id', '=', p.accountId),
)

/** Ends the links of an account whose email or password changes: they were sent to the owner of before. */
export function endResets(tx: Transaction, accountId: number): void {
  tx.send(removeAll, { accountId })
}

const setPassword = prepared((db, p: { id: number; passwordHash: string }) =>
  db.updateTable('account').set({ password_hash: p.passwordHash }).where('id', '=', p.id),
)

const endSessions = prepared((db, p: { id: number }) => db.deleteFrom('session').where('account_id', '=', p.id))

/** The same for an unknown, a used and an expired token, and for a suspended account. */
const invalidToken = () =>
  badRequestSentence(
    'token',
    'The link does not work any more: it is for one use within 30 minutes. Request another e-mail',
  )

const resetPassword = unit(
  import.meta,
  'resetPassword',
  async (tx, hash: Uint8Array, passwordHash: string, now: number, actor: Actor) => {
    const account = await tx.one(valid, { hash: Buffer.from(hash), now })
    if (account === undefined) throw invalidToken()
    const { id, email } = account
    if ((await tx.one(use, { hash: Buffer.from(hash), accountId: id })) === undefined) throw invalidToken()
    endResets(tx, id)
    tx.send(setPassword, { id, passwordHash })
    recordEvent(tx, { accountId: id, at: now, area: 'account', action: 'password_reset', object: '', actor })
    tx.send(endSessions, { id })
    clearWaits(tx, email)
  },
)

export type PasswordResetStore = ReturnType<typeof passwordResetStore>

/** Resets of forgotten passwords. Its methods take no account: the caller is not signed in. */
export const passwordResetStore = (db: Database) => ({
  /** @returns false for an account that gets no link: it is suspended, or has another address meanwhile */
  add: (token: string, reset: Omit<NewReset, 'hash'>): Promise<boolean> =>
    db.write(addReset, { ...reset, hash: digest(token) }),

  /** Before the password is hashed, which takes long. @throws ApiError `bad_request` */
  async check(token: string): Promise<void> {
    if ((await db.one(valid, { hash: digest(token), now: Date.now() })) === undefined) throw invalidToken()
  },

  /** Sets the password, and ends all sessions and all links of the account. @throws ApiError `bad_request` */
  reset: (token: string, passwordHash: string, actor: Actor): Promise<void> =>
    db.write(resetPassword, digest(token), passwordHash, Date.now(), actor),
})
