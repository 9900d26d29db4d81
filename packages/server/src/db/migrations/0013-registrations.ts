import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Answers of registries, shared by all accounts, and IANA's list of RDAP servers. */
export async function registrations(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('registration')
    .addColumn('domain', 'text', (column) => column.notNull().primaryKey())
    .addColumn('data', 'text')
    .addColumn('fetched_at', int64)
    .addColumn('fresh_until', int64, (column) => column.notNull())
    .addColumn('claimed_until', int64, (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('failed_at', int64)
    .addColumn('remove_after', int64, (column) => column.notNull())
    .modifyEnd(clustered)
    .execute()
  await db.schema.createIndex('registration_remove_after').on('registration').column('remove_after').execute()

  await db.schema
    .createTable('rdap_bootstrap')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('fetched_at', int64, (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
}
