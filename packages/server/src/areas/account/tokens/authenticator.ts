import type { Database } from '../../../db/port.js'
import type { Caller } from '../../../shared/account.js'
import { lastUse } from '../last-use/last-use.js'
import { lastUseStore } from '../last-use/store.js'
import { tokenStore } from './store.js'

/** Authenticates callers by their token. */
export function tokenAuthenticator(db: Database) {
  const tokens = tokenStore(db)
  const saved = lastUseStore(db)
  const uses = lastUse((batch) => saved.save('token', batch))
  return {
    /**
     * Reads the database at each request, so that a revocation takes effect on the next request in every process.
     * @returns undefined for an unknown token
     */
    authenticate: async (secret: string): Promise<Caller | undefined> => {
      const found = await tokens.bySecret(secret)
      if (found === undefined) return undefined
      const { account, token } = found
      uses.note(token.id, token.lastUsedAt)
      return { account, scopes: token.scopes, session: null }
    },

    /** Saves when tokens were last used. */
    saveUses: () => uses.flush(),
  }
}
