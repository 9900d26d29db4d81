import { createHash, type Hash } from 'node:crypto'
import { migrationNames } from '../db/migrations/index.js'
import { formatVersion, parseJson, sha256Of, type ArchiveEnd, type ArchiveHeader } from './format.js'
import { madeByNewer, notAnArchive } from './errors.js'

/** Parses the header. @throws OperatorError if the file is not an archive, or one of a newer version */
export function parseHeader(file: string, text: string): ArchiveHeader {
  const header = parseJson(text) as Partial<ArchiveHeader> | undefined
  if (typeof header !== 'object' || typeof header.format !== 'number') throw notAnArchive(file)
  if (header.format > formatVersion) throw madeByNewer(file, header.svc_version)
  if (!Array.isArray(header.migrations) || !Array.isArray(header.tables)) throw notAnArchive(file)
  const known: ReadonlySet<unknown> = new Set(migrationNames)
  if (header.migrations.some((name) => !known.has(name))) throw madeByNewer(file, header.svc_version)
  return header as ArchiveHeader
}

/** Counts what an archive contains while it is read, for the comparison with its end. */
export class Found {
  objects = 0
  bytes = 0
  readonly #tables = new Map<string, { rows: number; entries: number; hash: Hash }>()

  constructor(header: ArchiveHeader) {
    for (const { name } of header.tables) this.#tables.set(name, { rows: 0, entries: 0, hash: createHash('sha256') })
  }

  addObject(size: number): void {
    this.objects += 1
    this.bytes += size
  }

  /** @returns the number of this entry, from 1; undefined for a table that the header does not have */
  addRows(table: string, text: string, rows: number): number | undefined {
    const sum = this.#tables.get(table)
    if (sum === undefined) return undefined
    sum.rows += rows
    sum.hash.update(text)
    return ++sum.entries
  }

  /** @returns what differs from the end of the archive; undefined if nothing does. Call it once. */
  differenceFrom(endText: string, headerText: string): string | undefined {
    const end = parseJson(endText) as Partial<ArchiveEnd> | null | undefined
    if (typeof end?.tables !== 'object') return 'its end is not JSON'
    if (end.header_sha256 !== sha256Of(headerText)) return 'its header has another checksum'
    if (end.objects !== this.objects || end.bytes !== this.bytes)
      return 'it has another number of objects than its end says'
    for (const [name, { rows, hash }] of this.#tables) {
      const expected = end.tables[name]
      if (expected?.rows !== rows) return `the table ${name} has another number of rows than its end says`
      if (expected.sha256 !== hash.digest('hex')) return `the table ${name} has another checksum than its end says`
    }
    return undefined
  }
}
