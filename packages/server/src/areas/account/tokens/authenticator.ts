import type { Database } from '../../../db/port.js'
import type { Authenticate, Caller } from '../../../shared/account.js'
import { lastUse } from '../last-use/last-use.js'
import { lastUseStore } from '../last-use/store.js'
import { digestText } from '../secrets.js'
import { tokenStore, type Token } from './store.js'

/** At this number of cached tokens, all are forgotten. */
const cachedMax = 10_000

interface Authenticated {
  readonly caller: Caller
  readonly token: Pick<Token, 'id' | 'lastUsedAt'>
}

/** Authenticates callers by their token. */
export function tokenAuthenticator(db: Database) {
  const tokens = tokenStore(db)
  const saved = lastUseStore(db)
  const uses = lastUse((batch) => saved.save('token', batch))
  /** Tokens that were read at this commit number. The keys are digests, so that no secret stays in memory. */
  const cached = new Map<string, Authenticated>()
  let cachedCommit: number | undefined

  const use = ({ caller, token }: Authenticated): Caller => {
    uses.note(token.id, token.lastUsedAt)
    return caller
  }

  const lookUp = async (secret: string): Promise<Authenticated | undefined> => {
    const found = await tokens.bySecret(secret)
    return (
      found && { caller: { account: found.account, scopes: found.token.scopes, session: null }, token: found.token }
    )
  }

  const lookUpAndCache = async (secret: string, key: string, commit: number): Promise<Caller | undefined> => {
    const found = await lookUp(secret)
    // Only if no request has seen a later commit in the meantime: that commit may have revoked the token.
    if (found && commit === cachedCommit) cached.set(key, found)
    return found && use(found)
  }

  return {
    /**
     * Asks the database at each request, so that a revocation takes effect on the next request in every process. On SQLite it asks
     * only whether there was a commit since the token was read.
     * @returns undefined for an unknown token
     */
    authenticate: ((secret) => {
      const commit = db.commitNumber()
      if (commit === undefined) return lookUp(secret).then((found) => found && use(found))
      if (commit !== cachedCommit || cached.size >= cachedMax) cached.clear()
      cachedCommit = commit
      const key = digestText(secret)
      const known = cached.get(key)
      return known ? use(known) : lookUpAndCache(secret, key, commit)
    }) satisfies Authenticate,

    /** Saves when tokens were last used. */
    saveUses: () => uses.flush(),
  }
}
