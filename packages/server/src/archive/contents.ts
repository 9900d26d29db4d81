import { createHash } from 'node:crypto'
import type { Row } from '../db/table-shape.js'
import { formatRow, sha256Of, type ArchiveEnd, type ArchiveHeader } from './format.js'

/** The number and the checksum of the rows of a table, in their order. */
export class TableSum {
  rows = 0
  /** In how many entries of the archive they are. */
  entries = 0
  readonly #hash = createHash('sha256')

  /** @returns the rows as lines */
  add(rows: readonly Row[]): string {
    const text = rows.map(formatRow).join('')
    this.addText(text, rows.length)
    return text
  }

  addText(text: string, rows: number): void {
    this.rows += rows
    this.entries += 1
    this.#hash.update(text)
  }

  /** Call it once. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** Counts what an archive contains, while it is written or read. */
export class Contents {
  readonly tables: ReadonlyMap<string, TableSum>
  #objects = 0
  #bytes = 0

  constructor(
    header: ArchiveHeader,
    private readonly headerText: string,
  ) {
    this.tables = new Map(header.tables.map(({ name }) => [name, new TableSum()]))
  }

  addObject(size: number): void {
    this.#objects += 1
    this.#bytes += size
  }

  /** The end of an archive with these contents. Call it once. */
  end(lastIds: ReadonlyMap<string, number>): ArchiveEnd {
    return {
      header_sha256: sha256Of(this.headerText),
      tables: Object.fromEntries(
        [...this.tables].map(([name, sum]) => [name, { rows: sum.rows, sha256: sum.digest() }]),
      ),
      objects: this.#objects,
      bytes: this.#bytes,
      last_ids: Object.fromEntries(lastIds),
    }
  }

  /** @returns what differs from the end of the archive that was read; undefined if nothing does. Call it once. */
  differenceFrom(end: ArchiveEnd): string | undefined {
    const found = this.end(new Map())
    if (end.header_sha256 !== found.header_sha256) return 'its header has another checksum'
    if (end.objects !== found.objects || end.bytes !== found.bytes)
      return 'it has another number of objects than its end says'
    for (const [name, { rows, sha256 }] of Object.entries(found.tables)) {
      const expected = end.tables[name]
      if (expected?.rows !== rows) return `the table ${name} has another number of rows than its end says`
      if (expected.sha256 !== sha256) return `the table ${name} has another checksum than its end says`
    }
    return undefined
  }
}
