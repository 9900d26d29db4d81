import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** What secondaries have been given last, so that they get a new serial if it is another: the list of all zones, and the apex records. */
export async function secondaries(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_published')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('serial', int64, (column) => column.notNull())
    .modifyEnd(clustered)
    .execute()
}
