import { tokenStore, type Token } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { withAccount } from './accounts.js'
import { id, tokenName, tokenScopes } from './input.js'

export { tokenToJson } from '../areas/account/tokens/presenter.js'

/** `svc token add`: creates a token. Its value is only in this answer. */
export async function addToken(
  config: DatabaseConfig,
  given: { readonly email: string; readonly name: string; readonly scopes: readonly string[] },
): Promise<Token & { token: string }> {
  const name = tokenName(given.name)
  const scopes = tokenScopes(given.scopes)
  return withAccount(config, given.email, (account, db) => tokenStore(db).create(account, name, scopes))
}

/** `svc token list`: newest first, without their values. */
export const listTokens = (config: DatabaseConfig, email: string): Promise<Token[]> =>
  withAccount(config, email, async (account, db) => {
    const tokens: Token[] = []
    for await (const batch of tokenStore(db).list(account)) tokens.push(...batch)
    return tokens
  })

/** `svc token revoke`: the token is refused from the next request on. @throws ApiError unless the account has the token */
export async function revokeToken(config: DatabaseConfig, email: string, tokenId: string): Promise<void> {
  const checked = id(tokenId)
  await withAccount(config, email, (account, db) => tokenStore(db).revoke(account, checked))
}
