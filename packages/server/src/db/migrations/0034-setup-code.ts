import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The code of `svc setup-code`, which all processes on the database accept. */
export async function setupCode(db: Kysely<unknown>, { int64, bytes }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('setup_code')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', int64, (column) => column.notNull())
    .addColumn('hash', bytes)
    .execute()
}
