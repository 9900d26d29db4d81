import type { Areas, Operation, TokenScope } from '@svc/contract'
import { requiredScopes } from '@svc/contract'
import type { Handlers } from '../../http/handler.js'
import type { AccountStore } from './account-store.js'
import { checkNickname } from './rules.js'
import type { Session, SessionStore } from './session-store.js'
import { timestamp, userOnTheWire } from './wire.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
}

/** @param operations all that can be called, in the order of the catalogue */
export function accountHandlers(
  { accounts, sessions }: Stores,
  operations: readonly Operation[],
): Handlers<Areas['account']> {
  return {
    me: (_input, { account, scopes }) => ({
      user: userOnTheWire(account),
      token_scopes: [...scopes],
      usable_endpoints: usableEndpoints(operations, scopes),
    }),

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

function usableEndpoints(operations: readonly Operation[], scopes: readonly TokenScope[]) {
  const held = new Set<string>(scopes)
  return operations
    .filter(
      (op) => typeof op.access === 'string' || held.has('*') || requiredScopes(op).some((scope) => held.has(scope)),
    )
    .map(({ method, path }) => ({ method, path }))
}

const sessionOnTheWire = ({ id, createdAt, lastSeenAt, ip, userAgent }: Session) => ({
  id,
  created_at: timestamp(createdAt),
  last_seen_at: timestamp(lastSeenAt),
  ip,
  user_agent: userAgent,
})
