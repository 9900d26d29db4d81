import { LRUCache } from 'lru-cache'
import { allScopes, requiredScopes, type Areas, type Operation, type TokenScope } from '@svc/contract'
import { ruleKinds } from '@svc/contract/limits'
import { longList, RawJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { allowsSome, type Rules } from '../../shared/rules.js'
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
): Handlers<Areas['account']> {
  const usable = usableEndpoints(operations)
  return {
    me: (_input, { account, scopes }) => {
      // RawJson, so that the long list of endpoints is not serialized at each request.
      const [user, tokenScopes] = [JSON.stringify(userToJson(account)), JSON.stringify(scopes)]
      const { rules } = account
      const rulesJson = rules === undefined ? 'null' : JSON.stringify(rules)
      const endpoints = usable(scopes, rules)
      return new RawJson(
        `{"user":${user},"token_scopes":${tokenScopes},"rules":${rulesJson},"usable_endpoints":${endpoints}}`,
      )
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

/**
 * The endpoints that a set of scopes may call within rules, as JSON. Kept for each set and what its rules allow at all: there are few of
 * them, and the list is long.
 */
function usableEndpoints(operations: readonly Operation[]) {
  const known = new LRUCache<string, string>({ max: 1_000 })
  return (scopes: readonly TokenScope[], rules: Rules | undefined): string => {
    const key = scopes.join(' ') + limitsOf(rules)
    const found = known.get(key)
    if (found !== undefined) return found
    const usable = operations.filter(
      (op) =>
        (typeof op.access === 'string' ||
          scopes.includes(allScopes) ||
          requiredScopes(op).some((scope) => scopes.includes(scope))) &&
        (op.touches === undefined || allowsSome(rules, op.touches.kind, op.touches.access)),
    )
    const json = JSON.stringify(usable.map(({ method, path }) => ({ method, path })))
    known.set(key, json)
    return json
  }
}

/** What rules do not allow for anything of a kind: ` zone:whole site:write`; empty without rules. */
const limitsOf = (rules: Rules | undefined): string =>
  rules === undefined
    ? ''
    : ruleKinds
        .flatMap((kind) =>
          (['write', 'whole'] as const).map((access) => (allowsSome(rules, kind, access) ? '' : ` ${kind}:${access}`)),
        )
        .join('')
