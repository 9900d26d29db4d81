import { tokenStore, type Token } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { withAccount } from './accounts.js'
import { inTermsOf, tokenName, tokenScopes } from './input.js'
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
    const created = await tokens.create(account, name, scopes).catch((error: unknown) => {
      // The name is taken.
      throw inTermsOf('--name', error)
    })
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
