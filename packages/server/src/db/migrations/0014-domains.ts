import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The domains of accounts, and the addresses of their calendars. */
export async function domains(db: Kysely<unknown>, { int64, id, bytes, dialect }: ColumnTypes): Promise<void> {
  // Lists are sorted in the order of ASCII, not in that of a language.
  const asciiText = dialect === 'postgres' ? sql`text collate "C"` : 'text'
  await db.schema
    .createTable('domain')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('name', asciiText, (column) => column.notNull())
    .addColumn('tld', asciiText, (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('registrar', 'text')
    .addColumn('expires_at', int64)
    .addColumn('synced_at', int64)
    .addColumn('registration', 'text', (column) => column.notNull())
    .addColumn('due_at', int64, (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('changed_at', int64, (column) => column.notNull())
    .addUniqueConstraint('domain_once', ['account_id', 'name'])
    .execute()
  // Unknown dates last: the largest integer that JSON readers keep.
  await db.schema
    .createIndex('domain_by_expiry')
    .on('domain')
    .expression(sql`account_id, coalesce(expires_at, 9007199254740991), name`)
    .execute()
  await db.schema.createIndex('domain_by_name').on('domain').columns(['name', 'synced_at']).execute()
  await db.schema.createIndex('domain_due').on('domain').columns(['tld', 'due_at']).execute()
  // The calendar adds up the revisions without reading the rows.
  await db.schema.createIndex('domain_revision').on('domain').columns(['account_id', 'revision', 'id']).execute()

  await db.schema
    .createTable('domain_calendar')
    .addColumn('account_id', int64, (column) => column.primaryKey().notNull().references('account.id'))
    .addColumn('hash', bytes, (column) => column.notNull().unique())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
}
