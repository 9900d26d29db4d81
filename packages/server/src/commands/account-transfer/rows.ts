import { areaTables, tableNames, tables } from '../../app/tables.js'
import type { BulkTransaction } from '../../db/bulk-transaction.js'
import { recordEvent } from '../../journal/event-store.js'
import { operatorActor } from '../../shared/actor.js'
import { OperatorError } from '../../shared/operator-error.js'
import type { TableName } from '../../db/table-declaration.js'
import type { Value } from '../../db/table-shape.js'
import { addBlobs } from '../../ports/blobs/writer-store.js'
import { isCurrentKey } from '../../ports/vault/key-store.js'
import { staleKey, type Vault } from '../../ports/vault/port.js'
import type { MasterKey } from '../../shared/master-key.js'
import { IdMap } from './id-map.js'
import { toRow, type RowValues } from './row-values.js'
import { exportedSecret, identityIn, withSecret } from './exported-secrets.js'
import type { Contents } from './contents.js'
import { replaceTaken, type UniqueTerms } from './unique.js'
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
    const account = { ...rows.#imported('account', contents.account), id: accountId, email: terms.email }
    await tx.insert('account', Object.keys(account), [Object.values(account)])
    const event = { accountId, at: Date.now(), area: 'account', action: 'account_import', object: '' } as const
    recordEvent(tx, { ...event, actor: operatorActor('svc account import'), after: { email: terms.email } })
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
    const has = (table: TableName) => this.contents.tables.has(table)
    for (const table of tableNames) {
      const { counts } = tables[table]
      if (counts !== undefined && (has(table) || has(counts.table)))
        this.tx.send(counts.query, { accountId: this.accountId })
    }
    this.#zones.finish()
    for (const { afterImport } of areaTables) afterImport?.(this.tx, this.accountId)
  }

  async #rowsFor(table: TableName, rows: readonly RowValues[]): Promise<readonly RowValues[]> {
    switch (table) {
      case 'account':
      case 'dns_claim':
      case 'dns_zone':
        // Inserted at the beginning.
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
        return tables[table].counts === undefined ? this.#changed(table, rows) : []
    }
  }

  async #changed(table: TableName, rows: readonly RowValues[]): Promise<readonly RowValues[]> {
    const mapped = rows.map((row) => this.#imported(table, this.#withNewIds(table, row)))
    const free = await replaceTaken(table, mapped, { ...this.terms, reader: this.tx })
    if (tables[table].sealed === undefined) return free
    const resealed: RowValues[] = []
    for (const row of free) resealed.push(await this.#resealed(table, row))
    return resealed
  }

  /** A row with the columns that are not taken from the archive. */
  #imported(table: TableName, row: RowValues): RowValues {
    const { imported } = tables[table]
    return { ...row, ...imported?.(row, { now: Date.now(), shiftOf: this.#zones.shiftOf }) }
  }

  #withNewIds(table: TableName, row: RowValues): RowValues {
    const { hasGeneratedId, references } = tables[table]
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

  /** With the secret under the master key of this installation. */
  async #resealed(table: TableName, row: RowValues): Promise<RowValues> {
    const [archived, own] = [this.contents.accountId, this.accountId].map((id) => identityIn(table, id, row))
    if (archived === undefined || own === undefined || this.terms.secrets === undefined) return row
    const { exportKey, vault } = this.terms.secrets
    const text = exportedSecret(row, archived, exportKey)
    if (text === undefined)
      throw new OperatorError(`The archive is damaged: a secret in its table ${table} does not decrypt.`)
    // The lock of the first check excludes a rotation until the commit.
    const sealed = await vault.seal(text, own, async (fresh) =>
      (await isCurrentKey(this.tx, fresh.masterKeyId)) ? fresh : staleKey,
    )
    return withSecret(row, sealed)
  }
}
