import type { Areas, Operation } from '@svc/contract'
import { longList, RawJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { ofUsable } from '../../shared/usable-operations.js'
import { checkNickname } from './accounts/nickname.js'
import { userToJson } from './accounts/presenter.js'
import type { AccountStore } from './accounts/store.js'
import { sessionToJson } from './sessions/presenter.js'
import type { SessionStore } from './sessions/store.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
}

/** @param operations of this server, in the order of the catalogue */
export function accountHandlers(
  { accounts, sessions }: Stores,
  operations: readonly Operation[],
): Omit<Handlers<Areas['account']>, 'eventList' | `notice${string}` | `webhook${string}`> {
  const usable = ofUsable(
    operations,
    (some) => JSON.stringify(some.map(({ method, path }) => ({ method, path }))),
    1_000,
  )
  return {
    me: (_input, { account, scopes }) => {
      // RawJson, so that the long list of endpoints is not serialized at each request.
      const [user, tokenScopes] = [JSON.stringify(userToJson(account)), JSON.stringify(scopes)]
      const { rules } = account
      const rulesJson = rules === undefined ? 'null' : JSON.stringify(rules)
      const start = `{"user":${user},"token_scopes":${tokenScopes},"rules":${rulesJson},"usable_endpoints":`
      const endpoints = usable(scopes, rules)
      return new RawJson(`${start}${endpoints}}`, Buffer.byteLength(start) + endpoints.length + 1)
    },

    sessionList: (_input, { account }) =>
      longList(
        '{"sessions":[',
        sessions.list(account),
        (session) => JSON.stringify(sessionToJson(session)),
        (total) => `],"total":${String(total)}}`,
      ),

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
