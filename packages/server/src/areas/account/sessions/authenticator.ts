import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Caller } from '../../../shared/account.js'
import { lastUse, type Uses } from '../last-use/last-use.js'
import { usedRows } from '../last-use/used-rows.js'
import { digest } from '../secrets.js'
import { latestEnded } from './lifetime.js'

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

/** One statement for all rows; see `usedRows`. */
const touch = prepared((db, p: { uses: string }, dialect) =>
  db
    .updateTable('session')
    .from(usedRows('session', p.uses, dialect))
    .set((row) => ({ last_seen_at: row.ref('uses.at') }))
    .whereRef('session.id', '=', 'uses.id')
    .whereRef('last_seen_at', '<', 'uses.at'),
)

const touchSessions = unit(import.meta, 'touchSessions', async (tx, uses: Uses) => {
  await tx.run(touch, { uses: JSON.stringify(uses) })
})

/** Authenticates browsers by the secret in their cookie. */
export function sessionAuthenticator(db: Database) {
  const uses = lastUse((batch) => db.write(touchSessions, batch))
  return {
    /** A session has all scopes of its account. @returns undefined for an unknown or ended session */
    authenticate: async (secret: string): Promise<Caller | undefined> => {
      const row = await db.one(byHash, { hash: digest(secret), since: latestEnded() })
      if (row === undefined) return undefined
      uses.note(row.session_id, row.last_seen_at)
      const account = { id: row.id, email: row.email, nickname: row.nickname, createdAt: row.created_at }
      return { account, scopes: ['*'], session: { id: row.session_id, createdAt: row.began_at } }
    },

    /** Saves when sessions were last seen. */
    saveUses: () => uses.flush(),
  }
}
