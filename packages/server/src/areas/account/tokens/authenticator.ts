import type { TokenScope } from '@svc/contract'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Caller } from '../../../shared/account.js'
import { lastUse, type Uses } from '../last-use/last-use.js'
import { usedRows } from '../last-use/used-rows.js'
import { digest } from '../secrets.js'

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .where('token.hash', '=', p.hash)
    .select(['token.id as token_id', 'token.scopes', 'token.last_used_at'])
    .select(['account.id', 'account.email', 'account.nickname', 'account.created_at']),
)

/** One statement for all rows; see `usedRows`. */
const touch = prepared((db, p: { uses: string }, dialect) =>
  db
    .updateTable('token')
    .from(usedRows('token', p.uses, dialect))
    .set((row) => ({ last_used_at: row.ref('uses.at') }))
    .whereRef('token.id', '=', 'uses.id')
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', row.ref('uses.at'))])),
)

const touchTokens = unit(import.meta, 'touchTokens', async (tx, uses: Uses) => {
  await tx.run(touch, { uses: JSON.stringify(uses) })
})

/** Authenticates callers by their token. */
export function tokenAuthenticator(db: Database) {
  const uses = lastUse((batch) => db.write(touchTokens, batch))
  return {
    /**
     * Reads the database at each request, so that a revocation takes effect on the next request in every process.
     * @returns undefined for an unknown token
     */
    authenticate: async (token: string): Promise<Caller | undefined> => {
      const row = await db.one(byHash, { hash: digest(token) })
      if (row === undefined) return undefined
      uses.note(row.token_id, row.last_used_at)
      const account = { id: row.id, email: row.email, nickname: row.nickname, createdAt: row.created_at }
      return { account, scopes: row.scopes.split(' ') as TokenScope[], session: null }
    },

    /** Saves when tokens were last used. */
    saveUses: () => uses.flush(),
  }
}
