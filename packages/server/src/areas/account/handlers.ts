import { LRUCache } from 'lru-cache'
import { allScopes, requiredScopes, type Areas, type Operation, type TokenScope } from '@svc/contract'
import { RawJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import type { AccountStore } from './accounts/store.js'
import { checkNickname } from './accounts/nickname.js'
import type { Session, SessionStore } from './sessions/store.js'
import { userOnTheWire } from './accounts/presenter.js'
import { timestamp } from '../../shared/timestamp.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
}

/** @param operations all that can be called, in the order of the catalogue */
export function accountHandlers(
  { accounts, sessions }: Stores,
  operations: readonly Operation[],
): Handlers<Areas['account']> {
  const usable = usableEndpoints(operations)
  return {
    me: (_input, { account, scopes }) => {
      const [user, held] = [JSON.stringify(userOnTheWire(account)), JSON.stringify(scopes)]
      return new RawJson(`{"user":${user},"token_scopes":${held},"usable_endpoints":${usable(scopes)}}`)
    },

    async sessionList(_input, { account }) {
      const list = await sessions.list(account)
      return { sessions: list.map(sessionOnTheWire), total: list.length }
    },

    async sessionRevoke({ body }, { account }) {
      await sessions.revoke(account, body.id)
      return { revoked: true }
    },

    async sessionRevokeAll(_input, { account }) {
      return { revoked: await sessions.revokeAll(account) }
    },

    async profileUpdate({ body }, { account }) {
      const nickname = checkNickname(body.value)
      await accounts.setNickname(account, nickname)
      return { value: nickname }
    },
  }
}

/** JSON, worked out once for each set of scopes that tokens come with: there are few, and the list is long. */
function usableEndpoints(operations: readonly Operation[]): (scopes: readonly TokenScope[]) => string {
  const known = new LRUCache<string, string>({ max: 1_000 })
  return (scopes) => {
    const key = scopes.join(' ')
    const found = known.get(key)
    if (found !== undefined) return found
    const usable = operations.filter(
      (op) =>
        typeof op.access === 'string' ||
        scopes.includes(allScopes) ||
        requiredScopes(op).some((scope) => scopes.includes(scope)),
    )
    const json = JSON.stringify(usable.map(({ method, path }) => ({ method, path })))
    known.set(key, json)
    return json
  }
}

const sessionOnTheWire = ({ id, createdAt, lastSeenAt, ip, userAgent }: Session) => ({
  id,
  created_at: timestamp(createdAt),
  last_seen_at: timestamp(lastSeenAt),
  ip,
  user_agent: userAgent,
})
