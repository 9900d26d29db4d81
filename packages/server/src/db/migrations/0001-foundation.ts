import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Accounts, their tokens and sessions, sign-in failures, exchange rates. */
export async function foundation(db: Kysely<unknown>, { int64, bytes, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('account')
    .addColumn('id', id)
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('nickname', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('token')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', bytes, (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('last_used_at', int64)
    .execute()
  await db.schema.createIndex('token_by_account').on('token').columns(['account_id', 'id desc']).execute()

  await db.schema
    .createTable('session')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('hash', bytes, (column) => column.notNull().unique())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('last_seen_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('session_by_account').on('session').columns(['account_id', 'id desc']).execute()

  await db.schema
    .createTable('sign_in_failure')
    .addColumn('key', bytes, (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('blocked_until', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sign_in_failure_by_time').on('sign_in_failure').column('blocked_until').execute()

  await db.schema
    .createTable('exchange_rates')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('fetched_at', int64, (column) => column.notNull())
    .addColumn('rates', 'text', (column) => column.notNull())
    .execute()
}
