import { identityOf } from '../../areas/cred/credential.js'
import { signingKeyIdentity } from '../../areas/sms/keys/key.js'
import type { MasterKey } from '../../shared/master-key.js'
import { DamagedSecret, decrypt, encrypt } from '../../ports/vault/envelope.js'
import type { SecretIdentity } from '../../ports/vault/port.js'
import { sealedTables, type SealedTable } from '../../ports/vault/sealed-tables.js'
import type { RowValues } from './row-values.js'

/** Secrets in an archive are encrypted under its export key, with the identity that they have in the installation of the export. */

const identities: Readonly<Record<SealedTable, (accountId: number, row: RowValues) => SecretIdentity>> = {
  credential: (id, row) => identityOf({ id }, { platform: String(row['platform']), label: String(row['label']) }),
  sms_key: (id, row) => signingKeyIdentity(id, row['hash'] as Buffer),
}

export const isSealedTable = (table: string): table is SealedTable => sealedTables.includes(table as SealedTable)

/** The identity of the secret in a row, for an account. */
export const secretIdentity = (table: SealedTable, accountId: number, row: RowValues): SecretIdentity =>
  identities[table](accountId, row)

/** The row with its secret under the export key. */
export function withExportedSecret(row: RowValues, text: string, identity: SecretIdentity, key: MasterKey): RowValues {
  const { masterKeyId, bytes } = encrypt(text, identity, key)
  return { ...row, master_key_id: masterKeyId, sealed: Buffer.from(bytes) }
}

/** The secret of a row of an archive; undefined if it was changed. */
export function exportedSecret(row: RowValues, identity: SecretIdentity, key: MasterKey): string | undefined {
  try {
    return decrypt(row['sealed'] as Buffer, identity, key)
  } catch (error) {
    if (error instanceof DamagedSecret) return undefined
    throw error
  }
}
