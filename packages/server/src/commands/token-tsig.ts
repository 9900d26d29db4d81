import { tsigAlgorithms, type TsigAlgorithm } from '@svc/contract/limits'
import { unlimited } from '../areas/account/tokens/limits.js'
import type { Token } from '../areas/account/tokens/rows.js'
import { tokenStore } from '../areas/account/tokens/store.js'
import { tsigStore } from '../areas/account/tokens/tsig-store.js'
import type { Config } from '../config/config.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { actingBy, withAccount } from './accounts.js'
import { inTermsOf, tokenName, tokenScopes } from './input.js'
import { showOrUndo } from './show-or-undo.js'
import { narrowed, type GivenNarrowing } from './token-narrowing.js'

/** A key as both sides configure it. */
export interface ShownKey {
  /** In DNS. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  /** Base64. */
  readonly secret: string
}

interface GivenTsig extends GivenNarrowing {
  readonly email: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly algorithm?: string | undefined
}

/**
 * `svc token tsig`: creates a token that signs DNS messages.
 * @param show prints the key, whose secret is stored encrypted and shown no more; if it fails, the key is revoked again
 */
export async function addTsig(
  { database, vault }: Pick<Config, 'database' | 'vault'>,
  { email, name: givenName, scopes: givenScopes, algorithm: givenAlgorithm, ...given }: GivenTsig,
  show: (key: ShownKey, token: Token) => Promise<void>,
): Promise<void> {
  const name = tokenName(givenName)
  const scopes = tokenScopes(givenScopes)
  const algorithm = tsigAlgorithm(givenAlgorithm)
  const limits = { ...unlimited, ...(await narrowed(given)) }
  await withAccount(database, email, async (account, db) => {
    const acting = actingBy(account, 'svc token tsig')
    const keys = tsigStore(db, await openVault(vault, db))
    const { secret, ...token } = await keys
      .create(acting, { ...limits, name, scopes, algorithm })
      .catch((error: unknown) => {
        // The name is taken.
        throw inTermsOf('--name', error)
      })
    await showOrUndo(
      () => show({ name: token.tsig?.name ?? '', algorithm, secret }, token),
      () => tokenStore(db).revoke(acting, token.id),
      `the key "${name}" is revoked again`,
    )
  })
}

/** @throws OperatorError */
export function tsigAlgorithm(text: string = tsigAlgorithms[0]): TsigAlgorithm {
  const algorithm = tsigAlgorithms.find((known) => known === text.toLowerCase())
  if (algorithm !== undefined) return algorithm
  throw new OperatorError(`--algorithm must be ${tsigAlgorithms.join(' or ')}, not ${quoted(text)}.`, 2)
}
