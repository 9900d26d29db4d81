import type { Database } from '../../../db/port.js'
import type { Caller } from '../../../shared/account.js'
import { lastUse } from '../last-use/last-use.js'
import { lastUseStore } from '../last-use/store.js'
import { sessionStore } from './store.js'

/** Authenticates browsers by the secret in their cookie. */
export function sessionAuthenticator(db: Database) {
  const sessions = sessionStore(db)
  const saved = lastUseStore(db)
  const uses = lastUse((batch) => saved.save('session', batch))
  return {
    /** A session has all scopes of its account. @returns undefined for an unknown or ended session, and for a suspended account */
    authenticate: async (secret: string): Promise<Caller | undefined> => {
      const found = await sessions.bySecret(secret)
      if (found === undefined) return undefined
      const { account, session } = found
      uses.note(session.id, session.lastSeenAt)
      return { account, scopes: ['*'], session, tokenId: null }
    },

    /** Saves when sessions were last seen. */
    saveUses: () => uses.flush(),
  }
}
