import { defaultScopes, type ConsoleAreas, type TokenScope } from '@svc/contract'
import { tsigAlgorithms } from '@svc/contract/limits'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account, CallerSession } from '../../../shared/account.js'
import { requireRecentPassword } from '../../../shared/recent-password.js'
import type { Rule } from '../../../shared/rules.js'
import { refuseInvisible } from '../../../shared/visible-text.js'
import { checkRules, type RuleNames } from './check-rules.js'
import { checkExpiry, checkNetworks, unlimited, type TokenLimits } from './limits.js'
import type { TokenValues } from './change-store.js'
import { tokenToJson } from './presenter.js'
import type { Token } from './rows.js'
import { showsSecrets } from './secret-scopes.js'
import type { TokenStore } from './store.js'
import type { TsigStore } from './tsig-store.js'

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

const withValues = ({ token, updateKey, ...created }: Token & TokenValues) => ({
  ...tokenToJson(created),
  token,
  update_key: updateKey,
})

/** A token to which secrets are shown needs the password. @throws ApiError `password_required` */
function requirePasswordFor(scopes: readonly TokenScope[], session: CallerSession | null): void {
  if (showsSecrets(scopes)) requireRecentPassword(session)
}

/**
 * Tokens: the page "API keys" of the console (specification, section 5.2).
 * @param names checks what rules name
 */
export function keyHandlers(tokens: TokenStore, tsig: TsigStore, names: RuleNames): Handlers<ConsoleAreas['keys']> {
  const scopesOfToken = async (account: Account, id: number) => (await tokens.find(account, String(id)))?.scopes ?? []
  return {
    list: (_input, { account }) =>
      longList('{"keys":[', tokens.list(account), (token) => JSON.stringify(tokenToJson(token))),

    async create({ body }, { account, session }) {
      refuseInvisible('name', body.name)
      const scopes = scopesOf(body.scopes)
      requirePasswordFor(scopes, session)
      const limits = { ...unlimited, ...checkLimits(body, names) }
      const terms = { ...limits, hasUpdateKey: body.update_key === true }
      return withValues(await tokens.create(account, body.name, scopes, terms, session))
    },

    async createTsig({ body }, { account, session }) {
      const { name, algorithm = tsigAlgorithms[0] } = body
      refuseInvisible('name', name)
      const scopes = scopesOf(body.scopes)
      requirePasswordFor(scopes, session)
      const limits = { ...unlimited, ...checkLimits(body, names) }
      const { secret, ...created } = await tsig.create(account, { ...limits, name, scopes, algorithm }, session)
      return { ...tokenToJson(created), secret }
    },

    async update({ body }, { account, session }) {
      const { id, name, scopes, paused, ...limits } = body
      // All but a new name and a pause may let the token do more.
      const isWider = scopes !== undefined || paused === false || Object.keys(limits).length > 0
      if (isWider)
        requirePasswordFor([...(scopes ? scopesOf(scopes) : []), ...(await scopesOfToken(account, id))], session)
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
      requirePasswordFor(await scopesOfToken(account, id), session)
      return withValues(await tokens.rotate(account, id, keep))
    },

    async revoke({ body }, { account }) {
      await tokens.revoke(account, body.id)
      return { revoked: true }
    },

    revokeAll: async (_input, { account }) => ({ revoked: await tokens.revokeAll(account) }),
  }
}
