import { Ajv } from 'ajv'
import { migrationNames } from '../db/migrations/index.js'
import type { TableShape } from '../db/table-shape.js'
import { formatVersion, parseJson, type ArchivedTable, type ArchiveEnd, type ArchiveHeader } from './format.js'
import { madeByNewer, notAnArchive } from './errors.js'

const text = { type: 'string' } as const
const object = { type: 'object' } as const
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const
const list = <T>(items: T) => ({ type: 'array', items }) as const
const record = <T>(properties: Readonly<Record<string, T>>) =>
  ({ ...object, properties, required: Object.keys(properties) }) as const
const recordOf = <T>(additionalProperties: T) => ({ ...object, additionalProperties }) as const

const column = record({ name: text, kind: { enum: ['text', 'number', 'bytes'] } })

const ajv = new Ajv()
const isHeader = ajv.compile<ArchiveHeader>(
  record({
    kind: text,
    svc_version: text,
    migrations: list(text),
    installation_id: text,
    created_at: text,
    tables: list(record({ name: text, columns: list(column) })),
    details: recordOf(text),
  }),
)
/** Checksums prove only that the bytes are those that were written. */
export const isEnd = ajv.compile<ArchiveEnd>(
  record({
    tables: recordOf(record({ rows: count, sha256: text })),
    last_ids: recordOf(count),
    header_sha256: text,
    objects: count,
    bytes: count,
  }),
)

/** Parses the header. @throws OperatorError if the file is not an archive, or one of a newer version */
export function parseHeader(file: string, text: string): ArchiveHeader {
  const header = parseJson(text) as Partial<ArchiveHeader> | null | undefined
  if (typeof header?.format !== 'number') throw notAnArchive(file)
  if (header.format > formatVersion) throw madeByNewer(file, header.svc_version)
  if (!isHeader(header)) throw notAnArchive(file)
  if (header.migrations.some((name) => !migrationNames.includes(name))) throw madeByNewer(file, header.svc_version)
  return header
}

/** Whether one of the tables of a database has the columns of an archived table, with values of the same kinds. */
export function hasColumnsOf(tables: readonly TableShape[], { name, columns }: ArchivedTable): boolean {
  const known = tables.find((table) => table.name === name)?.columns ?? []
  return columns.every((column) => known.some((own) => own.name === column.name && own.kind === column.kind))
}
