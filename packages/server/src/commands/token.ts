import { ApiError } from '@svc/contract/errors'
import { unlimited } from '../areas/account/tokens/limits.js'
import type { TokenValues } from '../areas/account/tokens/change-store.js'
import type { Token } from '../areas/account/tokens/rows.js'
import { tokenStore, type TokenStore } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Account } from '../shared/account.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { actingBy, withAccount } from './accounts.js'
import { inTermsOf, tokenName, tokenScopes } from './input.js'
import { showOrUndo } from './show-or-undo.js'
import { keepHours } from './token-limits.js'
import { narrowed, type GivenNarrowing } from './token-narrowing.js'

export { tokenToJson } from '../areas/account/tokens/presenter.js'

interface GivenToken extends GivenNarrowing {
  readonly email: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Whether it gets an update key too. */
  readonly hasUpdateKey?: boolean | undefined
}

/**
 * `svc token add`: creates a token.
 * @param show prints its values, which are stored only as hashes; if it fails, the token is revoked again
 */
export async function addToken(
  config: DatabaseConfig,
  given: GivenToken,
  show: (created: Token & TokenValues) => Promise<void>,
): Promise<void> {
  const name = tokenName(given.name)
  const scopes = tokenScopes(given.scopes)
  const limits = { ...unlimited, ...(await narrowed(given)) }
  await withAccount(config, given.email, async (account, db) => {
    const [tokens, acting] = [tokenStore(db), actingBy(account, 'svc token add')]
    const terms = { ...limits, hasUpdateKey: given.hasUpdateKey === true }
    const created = await tokens.create(acting, name, scopes, terms).catch((error: unknown) => {
      // The name is taken, or the token has no host for an update key.
      throw inTermsOf(flagOf(error, '--name'), error)
    })
    await showOrUndo(
      () => show(created),
      () => tokens.revoke(acting, created.id),
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
  withToken({ config, email, idOrName, command: 'svc token revoke' }, async (tokens, account, token) => {
    await tokens.revoke(account, token.id)
    return token
  })

/** What `svc token update` changes. */
export interface GivenTokenChange extends GivenNarrowing {
  readonly name?: string | undefined
  /** Replaces all scopes; none or an empty list for no change. */
  readonly scopes?: readonly string[] | undefined
  readonly isPaused?: boolean | undefined
}

/** `svc token update`: takes effect at the next request. @returns the changed token */
export const updateToken = async (
  config: DatabaseConfig,
  email: string,
  idOrName: string,
  given: GivenTokenChange,
): Promise<Token> => {
  const { name, scopes = [], isPaused } = given
  if (scopes.length > 0 && scopes.every((text) => /^[\s,]*$/.test(text)))
    throw new OperatorError('--scope must name a scope, such as dns:write.', 2)
  const change = {
    ...(await narrowed(given)),
    ...(name !== undefined && { name: tokenName(name, '--new-name') }),
    ...(scopes.length > 0 && { scopes: tokenScopes(scopes) }),
    ...(isPaused !== undefined && { isPaused }),
  }
  if (Object.keys(change).length === 0) throw new OperatorError('Nothing to change: give at least one flag.', 2)
  return withToken({ config, email, idOrName, command: 'svc token update' }, (tokens, account, { id }) =>
    tokens.update(account, id, change).catch((error: unknown) => {
      throw inTermsOf(flagOf(error, '--new-name'), error)
    }),
  )
}

/**
 * `svc token rotate`: gives a token a new value.
 * @param keep for how long the value before still works, such as `24h`
 * @param show prints the new values, which are stored only as hashes; if it fails, those before are restored
 */
export async function rotateToken(
  config: DatabaseConfig,
  { email, idOrName, keep }: { readonly email: string; readonly idOrName: string; readonly keep: string | undefined },
  show: (rotated: Token & TokenValues) => Promise<void>,
): Promise<void> {
  const hours = keepHours(keep)
  await withToken({ config, email, idOrName, command: 'svc token rotate' }, async (tokens, account, { id, name }) => {
    const { undo, ...rotated } = await tokens.rotate(account, id, hours)
    await showOrUndo(() => show(rotated), undo, `the token "${name}" has its value before again`)
  })
}

const flags: ReadonlyMap<string, string> = new Map([
  ['rules', '--rule'],
  ['scopes', '--scope'],
  ['update_key', '--update-url'],
])

/** The flag that has the field of an error. @param flag of all other fields */
const flagOf = (error: unknown, flag: string): string =>
  (error instanceof ApiError ? flags.get(error.about?.field ?? '') : undefined) ?? flag

interface TokenCommand {
  readonly config: DatabaseConfig
  readonly email: string
  readonly idOrName: string
  /** For the journals. */
  readonly command: string
}

/** Runs a command with a token of an account. @throws OperatorError for an unknown one */
const withToken = <R>(
  { config, email, idOrName, command }: TokenCommand,
  run: (tokens: TokenStore, account: Account, token: Token) => Promise<R>,
): Promise<R> =>
  withAccount(config, email, async (account, db) => {
    const tokens = tokenStore(db)
    const token = await tokens.find(account, idOrName)
    if (token === undefined)
      throw new OperatorError(
        `${account.email} has no token with the name or id ${quoted(idOrName)}; svc token list ${account.email} shows all.`,
      )
    return run(tokens, actingBy(account, command), token)
  })
