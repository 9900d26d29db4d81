import type { Database } from '../../../db/port.js'
import type { Authenticate, Caller } from '../../../shared/account.js'
import { batchedCalls } from '../../../shared/batched-calls.js'
import { lastUse } from '../last-use/last-use.js'
import { lastUseStore } from '../last-use/store.js'
import { digestText } from '../secrets.js'
import { tokenStore, type Authenticating } from './store.js'

/** At this number of cached tokens, all are forgotten. */
const cachedMax = 10_000

/** The largest number of requests whose tokens are looked up in one query. */
const batchMax = 200

interface Authenticated {
  readonly caller: Caller
  readonly token: Authenticating['token']
}

const toAuthenticated = ({ account, token }: Authenticating): Authenticated => ({
  caller: { account, scopes: token.scopes, session: null },
  token,
})

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

  const lookUpAndCache = async (digest: string, commit: number): Promise<Caller | undefined> => {
    const row = await tokens.byDigest(digest)
    if (row === undefined) return undefined
    const found = toAuthenticated(row)
    // Only if no request has seen a later commit in the meantime: that commit may have revoked the token.
    if (commit === cachedCommit) cached.set(digest, found)
    return use(found)
  }

  /** A look-up begins after its request has arrived: a request never joins a query that has begun. */
  const lookUp = batchedCalls(async (digests: readonly string[]) => {
    const found = await tokens.byDigests([...new Set(digests)])
    return digests.map((digest) => ({ status: 'fulfilled' as const, value: found.get(digest) }))
  }, batchMax)

  return {
    /**
     * Asks the database at each request, so that a revocation takes effect on the next request in every process. On SQLite it asks
     * only whether there was a commit since the token was read. On PostgreSQL, requests that arrive during a query share the next one.
     * @returns undefined for an unknown token
     */
    authenticate: ((secret) => {
      const digest = digestText(secret)
      const commit = db.commitNumber()
      if (commit === undefined) return lookUp(digest).then((found) => found && use(toAuthenticated(found)))
      if (commit !== cachedCommit || cached.size >= cachedMax) cached.clear()
      cachedCommit = commit
      const known = cached.get(digest)
      return known ? use(known) : lookUpAndCache(digest, commit)
    }) satisfies Authenticate,

    /** Saves when tokens were last used. */
    saveUses: () => uses.flush(),
  }
}
