import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Nameservers that accounts have named for copies of their zones. */
export async function ownSecondaries(db: Kysely<unknown>, { id, int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_secondary')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    // Not a foreign key: the secondary of a revoked key stays in the list.
    .addColumn('token_id', int64, (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('proven_at', int64)
    .addColumn('told_at', int64)
    .addColumn('told_zone', 'text')
    .addColumn('answer', 'text')
    .execute()
  await db.schema.createIndex('dns_secondary_by_account').on('dns_secondary').columns(['account_id', 'id']).execute()
  await db.schema.createIndex('dns_secondary_by_token').on('dns_secondary').column('token_id').execute()
}
