import { allScopes, defaultScopes, type ConsoleAreas, type TokenScope } from '@svc/contract'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { CallerSession } from '../../../shared/account.js'
import { requireRecentPassword } from '../../../shared/recent-password.js'
import type { Rule } from '../../../shared/rules.js'
import { refuseInvisible } from '../../../shared/visible-text.js'
import { checkRules, type RuleNames } from './check-rules.js'
import { checkExpiry, checkNetworks, unlimited, type TokenLimits } from './limits.js'
import { tokenToJson } from './presenter.js'
import type { TokenStore } from './store.js'

const scopesOf = (given: readonly TokenScope[] | undefined) => (given?.length ? given : defaultScopes)

interface GivenLimits {
  readonly expires_at?: string | null
  readonly unused_days?: number | null
  readonly networks?: readonly string[]
  readonly rules?: readonly Rule[] | null
}

/** The given limits. @throws ApiError `bad_request` */
const checkLimits = (
  { expires_at, unused_days, networks, rules }: GivenLimits,
  names: RuleNames,
): Partial<TokenLimits> => ({
  ...(expires_at !== undefined && { expiresAt: checkExpiry(expires_at, Date.now()) }),
  ...(unused_days !== undefined && { unusedDays: unused_days }),
  ...(networks !== undefined && { networks: checkNetworks(networks) }),
  ...(rules !== undefined && { rules: rules && checkRules(rules, names) }),
})

/** A token that may do everything needs the password. @throws ApiError `password_required` */
function requirePasswordFor(scopes: readonly TokenScope[] | undefined, session: CallerSession | null): void {
  if (scopes?.includes(allScopes) === true) requireRecentPassword(session)
}

/**
 * Tokens: the page "API keys" of the console (specification, section 5.2).
 * @param names checks what rules name
 */
export const keyHandlers = (tokens: TokenStore, names: RuleNames): Handlers<ConsoleAreas['keys']> => ({
  list: (_input, { account }) =>
    longList('{"keys":[', tokens.list(account), (token) => JSON.stringify(tokenToJson(token))),

  async create({ body }, { account, session }) {
    refuseInvisible('name', body.name)
    requirePasswordFor(body.scopes, session)
    const limits = { ...unlimited, ...checkLimits(body, names) }
    const created = await tokens.create(account, body.name, scopesOf(body.scopes), limits)
    return { ...tokenToJson(created), token: created.token }
  },

  async update({ body }, { account, session }) {
    const { id, name, scopes, paused } = body
    requirePasswordFor(scopes, session)
    if (name !== undefined) refuseInvisible('name', name)
    const changed = await tokens.update(account, id, {
      ...checkLimits(body, names),
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes: scopesOf(scopes) }),
      ...(paused !== undefined && { isPaused: paused }),
    })
    return tokenToJson(changed)
  },

  async rotate({ body: { id, keep = 0 } }, { account, session }) {
    requirePasswordFor((await tokens.find(account, String(id)))?.scopes, session)
    const rotated = await tokens.rotate(account, id, keep)
    return { ...tokenToJson(rotated), token: rotated.token }
  },

  async revoke({ body }, { account }) {
    await tokens.revoke(account, body.id)
    return { revoked: true }
  },

  revokeAll: async (_input, { account }) => ({ revoked: await tokens.revokeAll(account) }),
})
