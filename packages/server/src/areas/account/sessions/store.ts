import { ApiError, forbidden, notFound } from '@svc/contract/errors'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account, Caller } from '../../../shared/account.js'
import { lastUse, type Uses } from '../last-use/last-use.js'
import { digest, newSessionSecret } from '../secrets.js'
import { usesOf } from '../last-use/used-rows.js'

/** A session ends this long after it began, however often it is used. */
export const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000

/** Sessions that began at this time or before it have ended. */
const endedSince = () => Date.now() - sessionLifetimeMs

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

/** Held until the transaction ends: a change of the password waits, and then finds the session to end it. */
const heldAccount = prepared((db, p: { id: number; passwordHash: string }, dialect) => {
  const query = db.selectFrom('account').where('id', '=', p.id).where('password_hash', '=', p.passwordHash).select('id')
  // SQLite has one writer at a time, and no locks on rows.
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
    })
    .returning('id'),
)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array; since: number }) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .where('session.hash', '=', p.hash)
    .where('session.created_at', '>', p.since)
    .select(['session.id as session_id', 'session.created_at as began_at', 'session.last_seen_at'])
    .select(['account.id', 'account.email', 'account.nickname', 'account.created_at']),
)

/** Newest first. Served by session_by_account (account_id, id desc). */
const ofAccount = prepared((db, p: { accountId: number; since: number }) =>
  db
    .selectFrom('session')
    .where('account_id', '=', p.accountId)
    .where('created_at', '>', p.since)
    .select(['id', 'created_at', 'last_seen_at', 'ip', 'user_agent'])
    .orderBy('id', 'desc'),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('session').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { accountId: number; id: number }) =>
  db.deleteFrom('session').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

const removeAll = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('session').where('account_id', '=', p.accountId),
)

const removeEnded = prepared((db, p: { accountId: number; since: number }) =>
  db.deleteFrom('session').where('account_id', '=', p.accountId).where('created_at', '<=', p.since),
)

/** All at once; see `usesOf` for which rows. */
const touch = prepared((db, p: { uses: string }, dialect) =>
  db
    .updateTable('session')
    .from(usesOf('session', p.uses, dialect))
    .set((of) => ({ last_seen_at: of.ref('uses.at') }))
    .whereRef('session.id', '=', 'uses.id')
    .whereRef('last_seen_at', '<', 'uses.at'),
)

const begin = unit(import.meta, 'begin', async (tx, session: NewSession) => {
  const { accountId: id, passwordHash } = session
  if ((await tx.one(heldAccount, { id, passwordHash })) === undefined)
    throw new ApiError('unauthorized', 'The password has been changed.')
  await tx.run(removeEnded, { accountId: session.accountId, since: session.now - sessionLifetimeMs })
  return (await tx.only(insert, session)).id
})

const revoke = unit(import.meta, 'revoke', async (tx, accountId: number, id: number) => {
  const found = await tx.one(owner, { id })
  if (found === undefined) throw notFound(`session ${String(id)}`)
  if (found.account_id !== accountId) throw forbidden('session')
  await tx.run(remove, { accountId, id })
})

const end = unit(import.meta, 'end', async (tx, accountId: number, id: number) => tx.run(remove, { accountId, id }))

const revokeAll = unit(import.meta, 'revokeAll', async (tx, accountId: number, since: number) => {
  await tx.run(removeEnded, { accountId, since })
  return tx.run(removeAll, { accountId })
})

const touchSessions = unit(import.meta, 'touchSessions', async (tx, uses: Uses) => {
  await tx.run(touch, { uses: JSON.stringify(uses) })
})

export type SessionStore = ReturnType<typeof sessionStore>

/** Sessions as their owner has them. */
export const sessionStore = (db: Database) => ({
  /**
   * @param account with the hash of the password that was shown to be right
   * @returns the session and the secret that its cookie holds, which is kept nowhere else
   * @throws ApiError `unauthorized` when the password has been changed since it was looked at
   */
  begin: async (account: Account & { passwordHash: string }, from: { ip: string; userAgent: string }) => {
    const { id: accountId, passwordHash } = account
    const secret = newSessionSecret()
    const now = Date.now()
    const id = await db.write(begin, { accountId, passwordHash, hash: digest(secret), now, ...from })
    return { id, createdAt: now, secret }
  },

  list: async (account: Account): Promise<Session[]> => {
    const rows = await db.all(ofAccount, { accountId: account.id, since: endedSince() })
    return rows.map(({ id, created_at, last_seen_at, ip, user_agent }) => ({
      id,
      createdAt: created_at,
      lastSeenAt: last_seen_at,
      ip,
      userAgent: user_agent,
    }))
  },

  /** @throws ApiError `not_found`, or `forbidden` for another account's */
  revoke: (account: Account, id: number): Promise<void> => db.write(revoke, account.id, id),

  /** Ends the session a call came with, if it has not been ended meanwhile. */
  end: async (account: Account, id: number): Promise<void> => {
    await db.write(end, account.id, id)
  },

  /** @returns how many of those that `list` shows there were */
  revokeAll: (account: Account): Promise<number> => db.write(revokeAll, account.id, endedSince()),
})

/**
 * Sessions as browsers show them.
 * @param report is told why it could not be kept when sessions were last used
 */
export function sessionCallers(db: Database, report: (error: unknown) => void) {
  const uses = lastUse((batch) => db.write(touchSessions, batch), report)
  return {
    /** Whose session a cookie belongs to. A session may do all its account may. */
    callerOf: async (secret: string): Promise<Caller | undefined> => {
      const row = await db.one(byHash, { hash: digest(secret), since: endedSince() })
      if (row === undefined) return undefined
      uses.note(row.session_id, row.last_seen_at)
      const account = { id: row.id, email: row.email, nickname: row.nickname, createdAt: row.created_at }
      return { account, scopes: ['*'], session: { id: row.session_id, createdAt: row.began_at } }
    },

    /** Keeps when sessions were last seen; called before the database is closed. */
    close: () => uses.close(),
  }
}
