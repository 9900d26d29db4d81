import { tokenStore, type Token } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../operator-error.js'
import { quoted } from '../shared/quoted.js'
import { withAccount } from './accounts.js'
import { inTermsOf, tokenName, tokenScopes } from './input.js'

export { tokenToJson } from '../areas/account/tokens/presenter.js'

/** `svc token add`: creates a token. Its value is only in this answer. */
export async function addToken(
  config: DatabaseConfig,
  given: { readonly email: string; readonly name: string; readonly scopes: readonly string[] },
): Promise<Token & { token: string }> {
  const name = tokenName(given.name)
  const scopes = tokenScopes(given.scopes)
  try {
    return await withAccount(config, given.email, (account, db) => tokenStore(db).create(account, name, scopes))
  } catch (error) {
    // The name is taken.
    throw inTermsOf('--name', error)
  }
}

/** `svc token list`: newest first, without their values. */
export const listTokens = (config: DatabaseConfig, email: string): Promise<Token[]> =>
  withAccount(config, email, async (account, db) => {
    const tokens: Token[] = []
    for await (const batch of tokenStore(db).list(account)) tokens.push(...batch)
    return tokens
  })

/**
 * `svc token revoke`: the token is refused from the next request on.
 * @param idOrName a number is first taken for an id
 * @returns the revoked token
 */
export const revokeToken = (config: DatabaseConfig, email: string, idOrName: string): Promise<Token> =>
  withAccount(config, email, async (account, db) => {
    const tokens = tokenStore(db)
    const token = await tokens.find(account, idOrName)
    if (token === undefined)
      throw new OperatorError(
        `${account.email} has no token with the name or id ${quoted(idOrName)}; svc token list ${account.email} shows all.`,
      )
    await tokens.revoke(account, token.id)
    return token
  })
