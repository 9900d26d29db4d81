import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Encrypted credentials, and the master key that they are encrypted with. */
export async function vault(db: Kysely<unknown>, { dialect, id, int64, bytes }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('master_key')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('master_key_handover')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('old_key_id', 'text', (column) => column.notNull())
    .addColumn('new_key_id', 'text', (column) => column.notNull())
    .addColumn('new_key', bytes, (column) => column.notNull())
    .addColumn('old_key', bytes, (column) => column.notNull())
    .execute()

  // Sorted by bytes on both databases.
  const sorted = dialect === 'postgres' ? sql`text collate "C"` : 'text'
  await db.schema
    .createTable('credential')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('platform', sorted, (column) => column.notNull())
    .addColumn('label', sorted, (column) => column.notNull())
    .addColumn('username', 'text')
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('updated_at', int64, (column) => column.notNull())
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addUniqueConstraint('credential_name', ['account_id', 'platform', 'label'])
    .execute()
}
