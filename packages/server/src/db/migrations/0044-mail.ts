import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** E-mails that wait to be sent, the kinds that accounts have switched off, and the links that reset a password. */
export async function mail(db: Kysely<unknown>, { int64, id, bytes, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('mail_message')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('events', int64, (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('due_at', int64)
    .addColumn('not_before', int64, (column) => column.notNull())
    .addColumn('give_up_at', int64, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .execute()
  await db.schema
    .createIndex('mail_message_by_topic')
    .unique()
    .on('mail_message')
    .columns(['account_id', 'kind', 'topic'])
    .execute()
  await db.schema.createIndex('mail_message_due').on('mail_message').column('due_at').execute()
  await sql`create index mail_message_idle on mail_message (not_before) where due_at is null`.execute(db)

  // What e-mails are about is looked up for all accounts.
  await db.schema.createIndex('domain_by_end').on('domain').column('expires_at').execute()
  await db.schema
    .createIndex('webhook_delivery_failing_since')
    .on('webhook_delivery')
    .column('failing_since')
    .where(sql.ref('failing_since'), 'is not', null)
    .execute()

  await db.schema
    .createTable('mail_opt_out')
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_opt_out_key', ['account_id', 'kind'])
    .modifyEnd(clustered)
    .execute()

  await db.schema
    .createTable('mail_key')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('secret', bytes, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('password_reset')
    .addColumn('hash', bytes, (column) => column.primaryKey())
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('expires_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('password_reset_by_account').on('password_reset').column('account_id').execute()
  await db.schema.createIndex('password_reset_by_end').on('password_reset').column('expires_at').execute()
}
