import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Counters of changes, which processes follow to keep what they have in memory up to date. */
export async function changeClocks(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('change_clock')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', int64, (column) => column.notNull())
    .execute()
}
