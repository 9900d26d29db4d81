import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** An order that is under way, beside the time when the certificate is due. */
export async function certificateLeases(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('certificate')
    .addColumn('leased_until', int64, (column) => column.notNull().defaultTo(0))
    .execute()
}
