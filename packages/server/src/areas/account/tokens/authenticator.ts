import type { Database } from '../../../db/port.js'
import type { Account, Authenticate, Caller } from '../../../shared/account.js'
import { batchedCalls } from '../../../shared/batched-calls.js'
import { lastUse } from '../last-use/last-use.js'
import { lastUseStore } from '../last-use/store.js'
import { digestText } from '../secrets.js'
import { wideNetworkOf } from '../../../shared/network-of.js'
import { checkUse, type CheckUse } from './limits.js'
import { authenticatingStore, type Authenticating } from './authenticating-store.js'

/** At this number of cached tokens, all are forgotten. */
const cachedMax = 10_000

/** The largest number of requests whose tokens are looked up in one query. */
const batchMax = 200

interface Authenticated {
  readonly caller: Caller
  readonly token: Authenticating['token']
  /** Undefined for a token without limits. */
  readonly isUsable: CheckUse | undefined
}

type LookUp = (digest: string) => Promise<Authenticating | undefined>

const toAuthenticated = ({ account, token }: Authenticating): Authenticated => ({
  caller: { account: withRules(account, token), scopes: token.scopes, session: null, tokenId: token.id },
  token,
  isUsable: checkUse(token),
})

const withRules = (account: Account, { limits: { rules } }: Authenticating['token']): Account =>
  rules === null ? account : { ...account, rules }

/** The caller, if the token works now and from this address. */
const withoutUse = ({ caller, isUsable }: Authenticated, ip: () => string): Caller | undefined =>
  isUsable === undefined || isUsable(Date.now(), ip()) ? caller : undefined

/** Authenticates callers by their token. */
export function tokenAuthenticator(db: Database) {
  const tokens = authenticatingStore(db)
  const saved = lastUseStore(db)
  const uses = lastUse((batch) => saved.save('token', batch))
  /** Tokens that were read at this commit number. The keys are digests, so that no secret stays in memory. */
  const cached = new Map<string, Authenticated>()
  let cachedCommit: number | undefined

  const use = (authenticated: Authenticated, ip: () => string): Caller | undefined => {
    const { token } = authenticated
    const caller = withoutUse(authenticated, ip)
    if (caller !== undefined) uses.note(token.id, token.lastUsedAt, () => wideNetworkOf(ip()) || null)
    return caller
  }

  const lookUpAndCache = async (
    key: string,
    commit: number,
    ip: () => string,
    found: Promise<Authenticating | undefined>,
  ): Promise<Caller | undefined> => {
    const row = await found
    if (row === undefined) return undefined
    const authenticated = toAuthenticated(row)
    // Only if no request has seen a later commit in the meantime: that commit may have revoked the token.
    if (commit === cachedCommit) cached.set(key, authenticated)
    return use(authenticated, ip)
  }

  /** A look-up begins after its request has arrived: a request never joins a query that has begun. */
  const lookUp = batchedCalls(async (digests: readonly string[]) => {
    const found = await tokens.byDigests([...new Set(digests)])
    return digests.map((digest) => ({ status: 'fulfilled' as const, value: found.get(digest) }))
  }, batchMax)

  /** @param prefix keeps secrets of several kinds apart in the cache */
  const authenticateBy =
    (prefix: string, find: LookUp, findWithOthers: LookUp): Authenticate =>
    (secret, ip) => {
      const digest = digestText(secret)
      const commit = db.commitNumber()
      if (commit === undefined) return findWithOthers(digest).then((found) => found && use(toAuthenticated(found), ip))
      if (commit !== cachedCommit || cached.size >= cachedMax) cached.clear()
      cachedCommit = commit
      const known = cached.get(prefix + digest)
      return known ? use(known, ip) : lookUpAndCache(prefix + digest, commit, ip, find(digest))
    }

  const byUpdateDigest: LookUp = (digest) => tokens.byUpdateDigest(digest)

  return {
    /**
     * Asks the database at each request, so that a revocation takes effect on the next request in every process. On SQLite it asks
     * only whether there was a commit since the token was read, once for the requests that one turn of the event loop finds together.
     * On PostgreSQL, requests that arrive during a query share the next one.
     * @returns undefined for a token that is unknown, has ended, is paused, or does not work from this address
     */
    authenticate: authenticateBy('', (digest) => tokens.byDigest(digest), lookUp),

    /** The same by the update key of a token. */
    authenticateUpdateKey: authenticateBy('update ', byUpdateDigest, byUpdateDigest),

    /** The caller of a key whose signature is right, as for the value of a token. @param ip returns the address of the client */
    callerOf: (found: Authenticating, ip: () => string) => use(toAuthenticated(found), ip),

    /** The same for a message of svc to this address, which is no use of the key. */
    callerFor: (found: Authenticating, ip: () => string) => withoutUse(toAuthenticated(found), ip),

    /** Saves when tokens were last used. */
    saveUses: () => uses.flush(),
  }
}
