import { reserveExistingSlugs } from '../../areas/deployments/slug-store.js'
import { accountTables, type TableName } from '../../db/account-tables.js'
import type { BulkTransaction } from '../../db/bulk-transaction.js'
import { noteChange } from '../../db/change-clock-store.js'
import { OperatorError } from '../../operator-error.js'
import { addBlobs } from '../../ports/blobs/writer-store.js'
import { isCurrentKey } from '../../ports/vault/key-store.js'
import { staleKey, type Vault } from '../../ports/vault/port.js'
import type { SealedTable } from '../../ports/vault/sealed-tables.js'
import type { MasterKey } from '../../shared/master-key.js'
import { asNewRow } from '../row-checks.js'
import { countPackageStorage, countSiteStorage, countStorage } from './counters.js'
import { IdMap } from './id-map.js'
import type { Value } from '../../db/table-shape.js'
import { toRow, type RowValues } from './row-values.js'
import { exportedSecret, isSealedTable, secretIdentity } from './secrets.js'
import type { Contents } from './contents.js'
import { uniqueChanges, type UniqueTerms } from './unique.js'
import { ZoneImport } from './zones.js'

/** What the rows of an account become in this installation. */
export interface RowTerms extends Omit<UniqueTerms, 'reader'> {
  readonly email: string
  /** The new keys of the stored objects, by their keys in the archive. */
  readonly keys: ReadonlyMap<string, string>
  readonly isHeldByOperator: (zone: string) => boolean
  /** Undefined for an archive without secrets. */
  readonly secrets: { readonly exportKey: MasterKey; readonly vault: Vault } | undefined
}

/** Inserts the rows of an archive in a transaction, with the ids that they get here. */
export class RowImport {
  readonly #zones: ZoneImport

  private constructor(
    private readonly tx: BulkTransaction,
    private readonly contents: Contents,
    private readonly terms: RowTerms,
    private readonly ids: ReadonlyMap<TableName, IdMap>,
    private readonly accountId: number,
  ) {
    this.#zones = new ZoneImport(tx, accountId, terms)
  }

  /** The zones that the account holds here. */
  get heldZones(): readonly string[] {
    return this.#zones.held
  }

  /** Takes the new ids, and inserts the account, its claims and its zones. */
  static async begin(tx: BulkTransaction, contents: Contents, terms: RowTerms): Promise<RowImport> {
    const [accountId = 0] = await tx.takeIds('account', 1)
    const ids = new Map<TableName, IdMap>()
    for (const [table, old] of contents.ids) {
      const fresh = old.length === 0 ? [] : await tx.takeIds(table, old.length)
      ids.set(table, new IdMap(table, old, fresh))
    }
    const rows = new RowImport(tx, contents, terms, ids, accountId)
    const account = { ...contents.account, id: accountId, email: terms.email }
    await tx.insert('account', Object.keys(account), [Object.values(account)])
    await rows.#zones.begin(contents, contents.accountId)
    return rows
  }

  /** Inserts rows of a table, after those to which they refer. */
  async insert(table: TableName, columns: readonly string[], rows: readonly RowValues[]): Promise<void> {
    const inserted = await this.#rowsFor(table, rows)
    if (inserted.length > 0)
      await this.tx.insert(
        table,
        columns,
        inserted.map((row) => toRow(columns, row)),
      )
  }

  /** Counts what the account uses, and serves its zones, sites and links. */
  finish(): void {
    if (this.#has('storage_use', 'file')) countStorage(this.tx, this.accountId)
    if (this.#has('site_use', 'site_content')) countSiteStorage(this.tx, this.accountId)
    if (this.#has('package_use', 'package')) countPackageStorage(this.tx, this.accountId)
    this.#zones.finish()
    reserveExistingSlugs(this.tx, this.accountId)
    noteChange(this.tx, 'deployments')
    noteChange(this.tx, 'sites')
  }

  #has = (...tables: readonly TableName[]): boolean => tables.some((table) => this.contents.tables.has(table))

  async #rowsFor(table: TableName, rows: readonly RowValues[]): Promise<readonly RowValues[]> {
    switch (table) {
      case 'account':
      case 'dns_claim':
      case 'dns_zone':
      case 'storage_use':
      case 'site_use':
      case 'package_use':
        // Inserted at the beginning or the end.
        return []
      case 'blob':
        await addBlobs(
          this.tx,
          rows.map(({ key, size }) => ({ key: this.#keyOf(key), size: Number(size) })),
        )
        return []
      case 'dns_record':
        return rows.map((row) => this.#zones.record(row))
      default:
        return this.#changed(table, rows)
    }
  }

  async #changed(table: TableName, rows: readonly RowValues[]): Promise<readonly RowValues[]> {
    const now = Date.now()
    const mapped = rows.map((row) => asNewRow(table, this.#withNewIds(table, row), now))
    const free = (await uniqueChanges[table]?.(mapped, { ...this.terms, reader: this.tx })) ?? mapped
    if (table === 'site_domain') return free.map((row) => this.#withRecordIds(row))
    if (!isSealedTable(table)) return free
    const resealed: RowValues[] = []
    for (const row of free) resealed.push(await this.#resealed(table, row))
    return resealed
  }

  #withNewIds(table: TableName, row: RowValues): RowValues {
    const { hasGeneratedId, references } = accountTables[table]
    const changed: Record<string, Value> = {}
    if (hasGeneratedId) changed['id'] = this.#idOf(table, row['id'])
    for (const [column, target] of Object.entries(references)) {
      const value = row[column] ?? null
      if (value !== null) changed[column] = target === 'blob' ? this.#keyOf(value) : this.#idOf(target, value)
    }
    return { ...row, ...changed }
  }

  #idOf(table: TableName, id: Value | undefined): number {
    if (table === 'account' && id === this.contents.accountId) return this.accountId
    return (this.ids.get(table) ?? new IdMap(table, [], [])).get(id)
  }

  #keyOf(key: Value | undefined): string {
    const stored = this.terms.keys.get(String(key))
    if (stored !== undefined) return stored
    throw new OperatorError(`The archive is damaged: it does not have the object ${String(key)}.`)
  }

  /** The DNS records that were created with the domain. */
  #withRecordIds(row: RowValues): RowValues {
    const shift = this.#zones.shiftOf(String(row['zone']))
    if (shift === 0) return row
    const records = JSON.parse(String(row['records'])) as { id?: number }[]
    const shifted = records.map((record) => (record.id === undefined ? record : { ...record, id: record.id + shift }))
    return { ...row, records: JSON.stringify(shifted) }
  }

  /** With the secret under the master key of this installation. */
  async #resealed(table: SealedTable, row: RowValues): Promise<RowValues> {
    if (row['sealed'] === null || this.terms.secrets === undefined) return row
    const { exportKey, vault } = this.terms.secrets
    const text = exportedSecret(row, secretIdentity(table, this.contents.accountId, row), exportKey)
    if (text === undefined)
      throw new OperatorError(`The archive is damaged: a secret in its table ${table} does not decrypt.`)
    // The lock of the first check excludes a rotation until the commit.
    const sealed = await vault.seal(text, secretIdentity(table, this.accountId, row), async (fresh) =>
      (await isCurrentKey(this.tx, fresh.masterKeyId)) ? fresh : staleKey,
    )
    return { ...row, master_key_id: sealed.masterKeyId, sealed: Buffer.from(sealed.bytes) }
  }
}
