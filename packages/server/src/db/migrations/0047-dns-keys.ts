import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Keys that sign DNS messages: those of accounts are tokens, those of the operator have a table. */
export async function dnsKeys(db: Kysely<unknown>, { id, int64, bytes }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('token').addColumn('tsig_algorithm', 'text').execute()
  await db.schema.alterTable('token').addColumn('master_key_id', 'text').execute()
  await db.schema.alterTable('token').addColumn('sealed', bytes).execute()
  await db.schema
    .createTable('dns_key')
    .addColumn('id', id)
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('algorithm', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute()
}
