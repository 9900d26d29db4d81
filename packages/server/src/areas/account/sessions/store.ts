import { ApiError } from '@svc/contract/errors'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import { queueMail, type QueuedMail } from '../../../ports/mail/outbox/queue-store.js'
import type { Account } from '../../../shared/account.js'
import { sessionActor, type Actor } from '../../../shared/actor.js'
import { readNewestFirst } from '../../../shared/page.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { turns } from '../../../shared/turns.js'
import { accountColumns, toAccount } from '../accounts/store.js'
import { digest, newSessionSecret } from '../secrets.js'
import { latestEnded, sessionLifetimeMs } from './lifetime.js'

/** A browser session as its owner sees it. Times are milliseconds since the epoch. */
export interface Session {
  readonly id: number
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly ip: string
  readonly userAgent: string
}

interface NewSession {
  accountId: number
  passwordHash: string
  hash: Uint8Array
  ip: string
  userAgent: string
  now: number
}

/** Locked until the transaction ends: a change of the password waits, then finds the new session and ends it. */
const lockedAccount = prepared((db, p: { id: number; passwordHash: string }, dialect) => {
  const query = db
    .selectFrom('account')
    .where('id', '=', p.id)
    .where('password_hash', '=', p.passwordHash)
    .select('state')
  // SQLite has one writer at a time and no row locks.
  return dialect === 'postgres' ? query.forShare() : query
})

const insert = prepared((db, p: NewSession) =>
  db
    .insertInto('session')
    .values({
      account_id: p.accountId,
      hash: p.hash,
      ip: p.ip,
      user_agent: p.userAgent,
      created_at: p.now,
      last_seen_at: p.now,
      password_at: p.now,
    })
    .returning('id'),
)

/** Newest first. Served by session_by_account (account_id, id desc). */
const page = prepared((db, p: { accountId: number; since: number; before: number; rows: number }) =>
  db
    .selectFrom('session')
    .where('account_id', '=', p.accountId)
    .where('created_at', '>', p.since)
    .where('id', '<', p.before)
    .select(['id', 'created_at as createdAt', 'last_seen_at as lastSeenAt', 'ip', 'user_agent as userAgent'])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array; since: number }) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .where('session.hash', '=', p.hash)
    .where('session.created_at', '>', p.since)
    .where('account.state', '=', sql.lit('active'))
    .select(['session.id as session_id', 'session.created_at as began_at', 'session.last_seen_at'])
    .select('session.password_at')
    .select(accountColumns),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('session').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { accountId: number; id: number }) =>
  db.deleteFrom('session').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

const removeAll = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('session').where('account_id', '=', p.accountId),
)

const removeOthers = prepared((db, p: { accountId: number; keptId: number }) =>
  db.deleteFrom('session').where('account_id', '=', p.accountId).where('id', '!=', p.keptId),
)

const removeEnded = prepared((db, p: { accountId: number; since: number }) =>
  db.deleteFrom('session').where('account_id', '=', p.accountId).where('created_at', '<=', p.since),
)

/** The most sessions of an account. */
const sessionsMax = 1_000

/** Served by session_by_account (account_id, id desc). */
const removeOldest = prepared((db, p: { accountId: number }) =>
  db
    .deleteFrom('session')
    .where('account_id', '=', p.accountId)
    .where('id', '<=', (from) =>
      from
        .selectFrom('session')
        .where('account_id', '=', p.accountId)
        .select('id')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(sessionsMax),
    ),
)

/** What follows from a new session, in its transaction. */
interface Beginning {
  /** Whose sign-in it is; undefined for a session that follows a change of the password. */
  readonly actor?: Actor | undefined
  /** Tells the owner of it; undefined for a known browser. */
  readonly mail?: QueuedMail | undefined
}

const beginSession = unit(import.meta, 'beginSession', async (tx, session: NewSession, { actor, mail }: Beginning) => {
  const { accountId: id, passwordHash } = session
  const account = await tx.one(lockedAccount, { id, passwordHash })
  if (account === undefined) throw new ApiError('unauthorized', 'The password has been changed.')
  if (account.state !== 'active') throw suspended()
  tx.send(removeEnded, { accountId: session.accountId, since: session.now - sessionLifetimeMs })
  const { id: sessionId } = await tx.only(insert, session)
  tx.send(removeOldest, session)
  if (mail !== undefined) await queueMail(tx, mail)
  if (actor !== undefined) {
    const after = { id: sessionId, user_agent: session.userAgent }
    recordEvent(tx, { accountId: id, at: session.now, area: 'account', action: 'sign_in', object: '', actor, after })
  }
  return sessionId
})

/** 401 for the owner of an account that the operator has suspended. */
export const suspended = () =>
  new ApiError('unauthorized', 'The account is suspended: only the operator of this server can resume it.')

const setPasswordAt = prepared((db, p: { accountId: number; id: number; now: number }) =>
  db.updateTable('session').set({ password_at: p.now }).where('id', '=', p.id).where('account_id', '=', p.accountId),
)

const notePassword = unit(import.meta, 'notePassword', async (tx, accountId: number, id: number, now: number) => {
  tx.send(setPasswordAt, { accountId, id, now })
  return now
})

const event = { area: 'account', object: '' } as const

const revokeSession = unit(import.meta, 'revokeSession', async (tx, accountId: number, id: number, actor: Actor) => {
  requireOwner(await tx.one(owner, { id }), accountId, 'session', id)
  if ((await tx.run(remove, { accountId, id })) === 0) return
  recordEvent(tx, { ...event, accountId, at: Date.now(), action: 'session_revoke', actor, before: { id } })
})

const endSession = unit(import.meta, 'endSession', async (tx, accountId: number, id: number, actor: Actor) => {
  if ((await tx.run(remove, { accountId, id })) === 0) return
  recordEvent(tx, { ...event, accountId, at: Date.now(), action: 'sign_out', actor, before: { id } })
})

const recordRevoked = (tx: Transaction, accountId: number, actor: Actor, count: number): number => {
  if (count > 0)
    recordEvent(tx, { ...event, accountId, at: Date.now(), action: 'sessions_revoke', actor, after: { count } })
  return count
}

const revokeAllSessions = unit(
  import.meta,
  'revokeAllSessions',
  async (tx, accountId: number, since: number, actor: Actor) => {
    tx.send(removeEnded, { accountId, since })
    return recordRevoked(tx, accountId, actor, await tx.run(removeAll, { accountId }))
  },
)

const revokeOtherSessions = unit(
  import.meta,
  'revokeOtherSessions',
  async (tx, accountId: number, keptId: number, since: number, actor: Actor) => {
    tx.send(removeEnded, { accountId, since })
    return recordRevoked(tx, accountId, actor, await tx.run(removeOthers, { accountId, keptId }))
  },
)

export type SessionStore = ReturnType<typeof sessionStore>

/** Sessions of an account. */
export function sessionStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /**
     * With more than 1,000 sessions, the oldest one ends.
     * @param account with the hash of the password that was verified
     * @returns the session and the secret for its cookie. The secret is not stored.
     * @throws ApiError `unauthorized` if the password has changed since it was verified, or for a suspended account
     */
    begin: async (
      account: Pick<Account, 'id'> & { passwordHash: string },
      from: { ip: string; userAgent: string },
      beginning: Beginning = {},
    ) => {
      const { id: accountId, passwordHash } = account
      const secret = newSessionSecret()
      const now = Date.now()
      const session = { accountId, passwordHash, hash: digest(secret), now, ...from }
      const id = await db.write(beginSession, session, beginning)
      return { id, createdAt: now, passwordAt: now, secret }
    },

    /** Finds a session and its account by the secret, for authentication. @returns undefined for an unknown or ended session */
    bySecret: async (secret: string) => {
      const row = await db.one(byHash, { hash: digest(secret), since: latestEnded() })
      if (row === undefined) return undefined
      const session = {
        id: row.session_id,
        createdAt: row.began_at,
        lastSeenAt: row.last_seen_at,
        passwordAt: row.password_at,
      }
      return { account: toAccount(row, sessionActor), session }
    },

    /** Newest first, in batches. */
    list({ id: accountId }: Account): AsyncGenerator<Session[], undefined> {
      const since = latestEnded()
      return readNewestFirst((before, rows) => db.all(page, { accountId, since, before, rows }), oneEachTurn)
    },

    /** @throws ApiError `not_found`; `forbidden` for a session of another account */
    revoke: (account: Account, id: number): Promise<void> => db.write(revokeSession, account.id, id, account.actor),

    /** Notes that the password was entered in a session. @returns when, in milliseconds since the epoch */
    notePassword: (account: Account, id: number): Promise<number> => db.write(notePassword, account.id, id, Date.now()),

    /** Signs out. No-op if the session has already ended. */
    end: (account: Account, id: number): Promise<void> => db.write(endSession, account.id, id, account.actor),

    /** @returns how many sessions `list` would have shown */
    revokeAll: (account: Account): Promise<number> =>
      db.write(revokeAllSessions, account.id, latestEnded(), account.actor),

    /** Ends every session except one. @returns how many of them `list` would have shown */
    revokeOthers: (account: Account, keptId: number): Promise<number> =>
      db.write(revokeOtherSessions, account.id, keptId, latestEnded(), account.actor),
  }
}
