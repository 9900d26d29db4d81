import { createPrivateKey } from 'node:crypto'
import type {} from '../src/ports/certificates/tables.js'
import { namesKeyOf } from '../src/ports/certificates/acme/certificate-row-store.js'
import { certificateStore } from '../src/ports/certificates/acme/certificate-store.js'
import type { Database } from '../src/db/port.js'
import { prepared } from '../src/db/prepared.js'
import { openVault } from '../src/ports/vault/envelope-vault.js'
import type { Account } from '../src/shared/account.js'
import { testVault } from './app.js'
import { testAuthority } from './test-authority.js'

const byNames = prepared((db, p: { accountId: number; names: string }) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('names', '=', p.names)
    .select(['id', 'leased_until as leasedUntil']),
)

/** Issues all certificates of `issueCertificate`. */
export const issuer = testAuthority()

/**
 * Stores a certificate as if the CA had issued it.
 * @param names of one that the account has asked for
 * @param vault of the server
 * @returns its key in PEM
 */
export async function issueCertificate(
  database: Database,
  { id: accountId }: Pick<Account, 'id'>,
  names: readonly string[],
  vault = testVault,
): Promise<string> {
  const { chain, key } = issuer.issue(names)
  const row = await database.one(byNames, { accountId, names: namesKeyOf(names) })
  if (row === undefined) throw new Error(`No certificate for ${names.join(', ')} was asked for.`)
  const store = certificateStore(database, await openVault(vault, database))
  const now = Date.now()
  await store.replace(
    { ...row, accountId, names },
    { chain, key: createPrivateKey(key) },
    { now, nextAt: now + 3_600_000, renewAt: now + 3_600_000 },
  )
  return key
}
