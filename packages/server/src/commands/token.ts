import { tokenStore, type Token } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { withAccount } from './accounts.js'
import { id, tokenName, tokenScopes } from './input.js'

/** `svc token add`: makes a token; its value is in the answer and nowhere else. */
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
  withAccount(config, email, (account, db) => tokenStore(db).list(account))

/** `svc token revoke`: refused from the next request on. @throws ApiError for a token of nobody or somebody else */
export async function revokeToken(config: DatabaseConfig, email: string, tokenId: string): Promise<void> {
  const checked = id(tokenId)
  await withAccount(config, email, (account, db) => tokenStore(db).revoke(account, checked))
}
