import { sql, type RawBuilder } from 'kysely'
import { columnOf, type Row, type Snapshot, type TableShape } from '../db/table-shape.js'

/**
 * What a backup leaves out: uploads that are not finished, with their parts. Most are dead: expired, or left by a client that started
 * again. A restored server answers 404 to their next part, as after their end, and clients send the file again.
 */
const conditions: Readonly<Record<string, RawBuilder<unknown>>> = {
  upload: sql`file_id is not null`,
  upload_part: sql`false`,
  blob: sql`not exists (select 1 from upload_part where upload_part.blob_key = blob.key)`,
}

/** The condition on the rows of a table that a backup has; undefined for all rows. */
export const backedUpRows = (snapshot: Snapshot, table: string): RawBuilder<unknown> | undefined =>
  // The first versions had no uploads.
  snapshot.tables.some(({ name }) => name === 'upload_part') ? conditions[table] : undefined

/** The numbers of `storage_use` that the uploads of an account have. */
interface Use {
  bytes: number
  uploads: number
  objects: number
}

const counted = ['bytes', 'uploads', 'objects'] as const satisfies readonly (keyof Use)[]

const noUse: Readonly<Use> = { bytes: 0, uploads: 0, objects: 0 }

/** Reads what the unfinished uploads of each account use. */
async function useOfUploads(snapshot: Snapshot): Promise<ReadonlyMap<number, Use>> {
  const uses = new Map<number, Use>()
  const useOf = new Map<unknown, Use>()
  for (const table of snapshot.tables.filter(({ name }) => name === 'upload')) {
    const [id, account] = [columnOf(table, 'id'), columnOf(table, 'account_id')]
    for await (const rows of snapshot.rows(table, sql`file_id is null`))
      for (const row of rows) {
        const use = uses.get(Number(row[account])) ?? { ...noUse }
        use.uploads += 1
        uses.set(Number(row[account]), use)
        useOf.set(row[id], use)
      }
  }
  for (const table of snapshot.tables.filter(({ name }) => name === 'upload_part')) {
    const [upload, size] = [columnOf(table, 'upload_id'), columnOf(table, 'size')]
    for await (const rows of snapshot.rows(table))
      for (const row of rows) {
        const use = useOf.get(row[upload])
        if (use === undefined) continue
        use.objects += 1
        use.bytes += Number(row[size])
      }
  }
  return uses
}

/** Rows of `storage_use` as they are without unfinished uploads, and those of other tables unchanged. */
export async function withoutUploads(
  snapshot: Snapshot,
): Promise<(table: TableShape, rows: readonly Row[]) => readonly Row[]> {
  const uses = await useOfUploads(snapshot)
  return (table, rows) => {
    if (table.name !== 'storage_use') return rows
    const account = columnOf(table, 'account_id')
    return rows.map((row) => {
      const use = uses.get(Number(row[account])) ?? noUse
      return counted.reduce<Row>((changed, name) => {
        const column = columnOf(table, name)
        return changed.with(column, Number(changed[column]) - use[name])
      }, row)
    })
  }
}
