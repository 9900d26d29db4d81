import { randomBytes } from 'node:crypto'
import type { TokenScope } from '@svc/contract'
import type { TsigAlgorithm } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import { newTsigSecret } from '../../../ports/dns/wire/tsig.js'
import type { Vault } from '../../../ports/vault/port.js'
import type { Account, CallerSession } from '../../../shared/account.js'
import type { TokenLimits } from './limits.js'
import { toToken, type Token } from './rows.js'
import { createToken } from './store.js'
import { rulesText } from './stored-rules.js'
import { tsigIdentity } from './tsig-name.js'

export type TsigStore = ReturnType<typeof tsigStore>

/** What a new key is. */
export interface NewTsig extends Omit<TokenLimits, 'isPaused'> {
  readonly name: string
  readonly scopes: readonly TokenScope[]
  readonly algorithm: TsigAlgorithm
}

/** Keys of an account that sign DNS messages: tokens with a secret instead of a value. */
export const tsigStore = (db: Database, vault: Vault) => ({
  /**
   * Creates a key. Its secret is returned once, in Base64, and stored under the vault.
   * @param by the browser session that creates it; null for the operator
   * @throws ApiError as `tokenStore.create`
   */
  async create(
    account: Account,
    { name, scopes, algorithm, expiresAt, unusedDays, networks, rules }: NewTsig,
    by: CallerSession | null = null,
  ): Promise<Token & { readonly secret: string }> {
    const secret = newTsigSecret(algorithm)
    // Random octets instead of a hash: no Bearer token has them as its hash.
    const hash = randomBytes(32)
    const row = await vault.seal(secret, tsigIdentity(account.id, hash), ({ masterKeyId, bytes }) =>
      db.write(createToken, {
        accountId: account.id,
        name,
        prefix: 'tsig',
        hash,
        scopes: scopes.join(' '),
        expiresAt,
        unusedDays,
        networks: JSON.stringify(networks),
        rules: rulesText(rules),
        updateHash: null,
        sessionId: by?.id ?? null,
        now: Date.now(),
        actor: account.actor,
        tsigAlgorithm: algorithm,
        masterKeyId,
        sealed: bytes,
      }),
    )
    return { ...toToken(row), secret }
  },
})
