import { tables } from '../../app/tables.js'
import type { Database } from '../../db/port.js'
import type { TableName } from '../../db/table-declaration.js'
import type { Row, TableShape } from '../../db/table-shape.js'
import type { VaultConfig } from '../../ports/vault/configured-key.js'
import { DamagedSecret, decrypt, encrypt } from '../../ports/vault/envelope.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import type { Sealed, SecretIdentity, Vault } from '../../ports/vault/port.js'
import type { MasterKey } from '../../shared/master-key.js'
import { toRow, toValues, type RowValues } from './row-values.js'

/** Secrets in an archive are encrypted under its export key, with the identity that they have in the installation of the export. */
export class ExportedSecrets {
  /** How many there are. */
  count = 0
  /** Rows that are left out because their secrets do not decrypt, such as `credential 7`. */
  readonly damaged: string[] = []
  #vault: Promise<Vault> | undefined

  constructor(
    private readonly db: Database,
    private readonly config: VaultConfig,
    private readonly accountId: number,
    readonly key: MasterKey,
  ) {}

  /** The rows of a table for the archive. @throws OperatorError for another master key than that of the database */
  async reseal({ name: table, columns }: TableShape, rows: readonly Row[]): Promise<readonly Row[]> {
    if (tables[table as TableName].sealed === undefined) return rows
    const names = columns.map(({ name }) => name)
    const resealed: Row[] = []
    for (const row of rows) {
      const values = toValues(names, row)
      try {
        resealed.push(toRow(names, await this.#resealed(table as TableName, values)))
      } catch (error) {
        if (!(error instanceof DamagedSecret)) throw error
        this.damaged.push(`${table} ${String(values['id'])}`)
      }
    }
    return resealed
  }

  async #resealed(table: TableName, values: RowValues): Promise<RowValues> {
    const identity = identityIn(table, this.accountId, values)
    if (identity === undefined) return values
    // Not opened for an account without secrets, which needs no master key.
    const vault = await (this.#vault ??= openVault(this.config, this.db))
    const text = await vault.open(values['sealed'] as Buffer, identity)
    this.count += 1
    return withSecret(values, encrypt(text, identity, this.key))
  }
}

/** The identity of the secret in a row; undefined for a row without a secret. */
export const identityIn = (table: TableName, accountId: number, row: RowValues): SecretIdentity | undefined =>
  Buffer.isBuffer(row['sealed']) ? tables[table].sealed?.(accountId, row) : undefined

export const withSecret = (row: RowValues, { masterKeyId, bytes }: Sealed): RowValues => ({
  ...row,
  master_key_id: masterKeyId,
  sealed: Buffer.from(bytes),
})

/** The secret of a row of an archive; undefined if it was changed. */
export function exportedSecret(row: RowValues, identity: SecretIdentity, key: MasterKey): string | undefined {
  try {
    return decrypt(row['sealed'] as Buffer, identity, key)
  } catch (error) {
    if (error instanceof DamagedSecret) return undefined
    throw error
  }
}
