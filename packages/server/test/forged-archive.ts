import { fileOutput } from '../src/archive/output.js'
import { ArchiveReader } from '../src/archive/reader.js'
import { ArchiveWriter } from '../src/archive/writer.js'
import { toRow, toValues, type RowValues } from '../src/commands/account-transfer/row-values.js'

/** The rows that take the place of one: none, or several. Called once more for each table, after its rows, without a row. */
export type Forge = (table: string, row: RowValues | undefined) => readonly RowValues[]

/** Writes a copy of an archive with other rows, as its author could. */
export async function forgeArchive(file: string, copy: string, forge: Forge): Promise<void> {
  const reader = await ArchiveReader.open(file)
  const writer = await ArchiveWriter.start(await fileOutput(copy), reader.header)
  const columnsOf = (table: string) =>
    reader.header.tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
  const add = async (table: string, rows: readonly RowValues[]) => {
    if (rows.length === 0) return
    const columns = columnsOf(table)
    await writer.addRows(
      table,
      rows.map((row) => toRow(columns, row)),
    )
  }
  const left = new Set(reader.header.tables.map(({ name }) => name))
  for await (const item of reader.items()) {
    if (item.kind === 'object') await writer.addObject(item.key, item.size, item.bytes)
    if (item.kind !== 'rows') continue
    const values = item.rows.map((row) => toValues(columnsOf(item.table), row))
    await add(item.table, [...values.flatMap((row) => forge(item.table, row)), ...forge(item.table, undefined)])
    left.delete(item.table)
  }
  for (const table of left) await add(table, forge(table, undefined))
  await writer.finish()
  reader.close()
}
