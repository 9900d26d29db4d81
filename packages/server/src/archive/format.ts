import { createHash } from 'node:crypto'
import type { ColumnShape, Row, TableShape, Value } from '../db/table-shape.js'

/**
 * The archive of `svc backup` and `svc account export` is a tar file with these entries, in this order:
 *
 * - `svc-archive.json`: `ArchiveHeader`
 * - `blobs/<key>`: objects of the blob store. After each 1,000 of them and after the last one, `blobs/<n>.sha256` has their checksums in
 *   the form of sha256sum. An object whose bytes could not be read to the end is filled up with zeros, and listed as `void`.
 * - `tables/<table>/<n>.jsonl`: rows as JSON arrays, about 1 MiB in each entry; bytes as base64.
 * - `end.json`: `ArchiveEnd`. Without it, the archive is cut off.
 */
export const headerName = 'svc-archive.json'
export const endName = 'end.json'
export const objectName = (key: string): string => `blobs/${key}`
export const sumsName = (n: number): string => `blobs/${String(n)}.sha256`
export const rowsName = (table: string, n: number): string => `tables/${table}/${String(n)}.jsonl`

/** The newest format that this version reads, and the one that it writes. */
export const formatVersion = 1

/** After this many objects, their checksums follow. */
export const objectsPerSums = 1_000

export interface ArchiveHeader {
  readonly format: number
  readonly kind: 'backup' | 'account'
  readonly svc_version: string
  /** The migrations that the database of the rows had. */
  readonly migrations: readonly string[]
  readonly installation_id: string
  /** RFC 3339 in UTC with milliseconds. */
  readonly created_at: string
  /** The tables of the rows, and what their arrays contain. */
  readonly tables: readonly ArchivedTable[]
  /** Fields that only this kind of archive has. */
  readonly details: Readonly<Record<string, unknown>>
}

export type ArchivedTable = Pick<TableShape, 'name' | 'columns'>

/** What the archive contains. */
export interface ArchiveEnd {
  readonly header_sha256: string
  /** By table. The checksum is that of all its lines. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>
  readonly objects: number
  /** Of the objects. */
  readonly bytes: number
  /** The last id that each table with generated ids has given out. */
  readonly last_ids: Readonly<Record<string, number>>
}

/** Formats the end, with a checksum over it. */
export const formatEnd = (end: ArchiveEnd): string =>
  `${JSON.stringify({ ...end, sha256: sha256Of(JSON.stringify(end)) }, null, 2)}\n`

/** @returns undefined for a text that is damaged */
export function parseEnd(text: string): ArchiveEnd | undefined {
  const { sha256, ...end } = (parseJson(text) ?? {}) as ArchiveEnd & { sha256?: unknown }
  return sha256 === sha256Of(JSON.stringify(end)) ? end : undefined
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A row as a line, with its line end. */
export const formatRow = (row: Row): string =>
  `${JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? value.toString('base64') : value)))}\n`

/** @returns undefined for a line that is not a row of these columns */
export function parseRow(line: string, columns: readonly ColumnShape[]): Row | undefined {
  const values = parseJson(line)
  if (!Array.isArray(values) || values.length !== columns.length) return undefined
  const row = columns.map(({ kind }, i) => parseValue(values[i], kind))
  return row.every((value) => value !== undefined) ? row : undefined
}

function parseValue(value: unknown, kind: ColumnShape['kind']): Value | undefined {
  if (value === null) return null
  if (kind === 'number') return Number.isSafeInteger(value) ? (value as number) : undefined
  if (typeof value !== 'string') return undefined
  return kind === 'text' ? value : Buffer.from(value, 'base64')
}

/** @returns undefined for a text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The caller reports the damaged entry by its name.
    return undefined
  }
}

/** A line of checksums; `sha256` is undefined for an object whose bytes could not be read. */
export const formatSum = (key: string, sha256: string | undefined): string =>
  `${sha256 ?? 'void'}  ${objectName(key)}\n`
