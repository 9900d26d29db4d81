import type { Row, TableShape } from '../../db/table-shape.js'
import type { Database } from '../../db/port.js'
import type { VaultConfig } from '../../ports/vault/configured-key.js'
import { DamagedSecret } from '../../ports/vault/envelope.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import type { Vault } from '../../ports/vault/port.js'
import type { MasterKey } from '../../shared/master-key.js'
import { toRow, toValues } from './row-values.js'
import { isSealedTable, secretIdentity, withExportedSecret } from './secrets.js'

/** Encrypts the secrets of an account under the export key. */
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
    if (!isSealedTable(table)) return rows
    const names = columns.map(({ name }) => name)
    const resealed: Row[] = []
    for (const row of rows) {
      const values = toValues(names, row)
      const { sealed = null } = values
      if (!Buffer.isBuffer(sealed)) {
        resealed.push(row)
        continue
      }
      const identity = secretIdentity(table, this.accountId, values)
      try {
        const text = await (await this.#openVault()).open(sealed, identity)
        resealed.push(toRow(names, withExportedSecret(values, text, identity, this.key)))
        this.count += 1
      } catch (error) {
        if (!(error instanceof DamagedSecret)) throw error
        this.damaged.push(`${table} ${String(values['id'])}`)
      }
    }
    return resealed
  }

  /** Not opened for an account without secrets, which needs no master key. */
  #openVault(): Promise<Vault> {
    return (this.#vault ??= openVault(this.config, this.db))
  }
}
