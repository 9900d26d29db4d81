import { hasColumnsOf } from '../../archive/checks.js'
import { ArchiveReader, type ArchiveItem } from '../../archive/reader.js'
import { tables } from '../../app/tables.js'
import type { ServerNames, TableName } from '../../db/table-declaration.js'
import type { TableShape } from '../../db/table-shape.js'
import { OperatorError } from '../../shared/operator-error.js'
import { ContentsReader, type Contents } from './contents.js'
import { toValues, type RowValues } from './row-values.js'

/** Rows of one table. */
export interface AccountRows {
  readonly table: TableName
  /** The names of the columns. */
  readonly columns: readonly string[]
  readonly values: readonly RowValues[]
}

type ObjectItem = Exclude<ArchiveItem, { readonly kind: 'rows' }>

/** A file that `svc account export` has made. It is read twice, because rows refer to later ones. */
export class AccountArchive {
  /**
   * @param tables of this database
   * @param signal ends the reading
   */
  constructor(
    private readonly file: string,
    private readonly tables: readonly TableShape[],
    private readonly migrations: readonly string[],
    private readonly signal?: AbortSignal,
  ) {}

  /**
   * Verifies the whole archive, and each of its rows.
   * @param serverNames which no domain of a site can have
   * @throws OperatorError for a damaged archive, another kind of archive, and one of another schema
   */
  async read(serverNames: ServerNames): Promise<Contents> {
    const items = await this.items()
    const contents = new ContentsReader(serverNames)
    // The bytes of objects are verified without being kept.
    try {
      for await (const _ of items.objects());
      for await (const { table, values } of items.rows()) contents.add(table, values)
      return contents.finish()
    } finally {
      items.close()
    }
  }

  /** Opens the archive. @throws OperatorError as `read` */
  async items(): Promise<AccountItems> {
    this.signal?.throwIfAborted()
    const reader = await ArchiveReader.open(this.file)
    this.signal?.addEventListener('abort', reader.close, { once: true })
    try {
      this.#check(reader)
    } catch (error) {
      reader.close()
      throw error
    }
    return new AccountItems(reader)
  }

  #check({ header }: ArchiveReader): void {
    if (header.kind !== 'account')
      throw new OperatorError(`${this.file} is a backup of a whole installation: svc restore reads it.`)
    if (header.migrations.join() !== this.migrations.join())
      throw new OperatorError(
        `${this.file} has the tables of svc ${header.svc_version}, and this database has others: update the installation of the export to this version of svc, start it once, and export the account again.`,
      )
    for (const table of header.tables)
      if (!hasColumnsOf(this.tables, table) || tables[table.name as TableName].leftOut !== undefined)
        throw new OperatorError(`${this.file} is damaged: ${table.name} is not a table of an account.`)
  }
}

/** One reading of an archive: first the objects, then the rows. */
export class AccountItems {
  readonly #items: AsyncGenerator<ArchiveItem>
  #first: (ArchiveItem & { readonly kind: 'rows' }) | undefined

  constructor(private readonly reader: ArchiveReader) {
    this.#items = reader.items()
  }

  /** The objects, up to the first rows. */
  async *objects(): AsyncGenerator<ObjectItem> {
    for (;;) {
      const next = await this.#items.next()
      if (next.done === true) return
      if (next.value.kind === 'rows') {
        this.#first = next.value
        return
      }
      yield next.value
    }
  }

  async *rows(): AsyncGenerator<AccountRows> {
    if (this.#first !== undefined) yield this.#toRows(this.#first)
    for await (const item of this.#items) if (item.kind === 'rows') yield this.#toRows(item)
  }

  /** Ends the reading of the file. */
  close(): void {
    this.reader.close()
  }

  #toRows({ table, rows }: ArchiveItem & { readonly kind: 'rows' }): AccountRows {
    const columns = this.reader.header.tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
    return { table: table as TableName, columns, values: rows.map((row) => toValues(columns, row)) }
  }
}
