import { tokenStore, type Token } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { withAccount } from './accounts.js'
import { id, tokenName, tokenScopes } from './input.js'
import { showOrUndo } from './show-or-undo.js'

export { tokenToJson } from '../areas/account/tokens/presenter.js'

/**
 * `svc token add`: creates a token.
 * @param show prints its value, which is stored only as a hash; if it fails, the token is revoked again
 */
export async function addToken(
  config: DatabaseConfig,
  given: { readonly email: string; readonly name: string; readonly scopes: readonly string[] },
  show: (created: Token & { token: string }) => Promise<void>,
): Promise<void> {
  const name = tokenName(given.name)
  const scopes = tokenScopes(given.scopes)
  await withAccount(config, given.email, async (account, db) => {
    const tokens = tokenStore(db)
    const created = await tokens.create(account, name, scopes)
    await showOrUndo(
      () => show(created),
      () => tokens.revoke(account, created.id),
      `the token "${name}" is revoked again`,
    )
  })
}

/** `svc token list`. @param print gets the tokens, newest first, without their values, a page at a time */
export const listTokens = (
  config: DatabaseConfig,
  email: string,
  print: (pages: AsyncIterable<readonly Token[]>) => Promise<void>,
): Promise<void> => withAccount(config, email, (account, db) => print(tokenStore(db).list(account)))

/** `svc token revoke`: the token is refused from the next request on. @throws ApiError unless the account has the token */
export async function revokeToken(config: DatabaseConfig, email: string, tokenId: string): Promise<void> {
  const checked = id(tokenId)
  await withAccount(config, email, (account, db) => tokenStore(db).revoke(account, checked))
}
