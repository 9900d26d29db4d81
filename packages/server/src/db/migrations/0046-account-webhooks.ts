import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Where the events of accounts are sent, and the deliveries that wait. */
export async function accountWebhooks(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { int64, id, bytes } = types
  await db.schema
    .createTable('account_webhook')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('begins_after', int64, (column) => column.notNull())
    .addColumn('dropped', int64, (column) => column.notNull())
    .addColumn('paused_until', int64)
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('account_webhook_by_account').on('account_webhook').column('account_id').execute()
  await db.schema.createIndex('account_webhook_by_begin').on('account_webhook').column('begins_after').execute()

  await deliveries(db, types)

  await db.schema
    .createTable('account_webhook_position')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('position', int64, (column) => column.notNull())
    .execute()
}

async function deliveries(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('account_webhook_delivery')
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    // Not a foreign key, which would need an index.
    .addColumn('webhook_id', int64, (column) => column.notNull())
    // Not a foreign key: old events are removed, deliveries stay in the list.
    .addColumn('event_id', int64, (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('due_at', int64)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('answer', 'text')
    .addColumn('failing_since', int64)
    .addColumn('updated_at', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('account_webhook_delivery_key', ['account_id', 'webhook_id', 'event_id'])
    .modifyEnd(clustered)
    .execute()
  const indexes = {
    due: ['due_at', 'host', 'account_id'],
    turn: ['host', 'account_id', 'webhook_id', 'due_at'],
  } as const
  for (const [name, columns] of Object.entries(indexes))
    await db.schema
      .createIndex(`account_webhook_delivery_${name}`)
      .on('account_webhook_delivery')
      .columns([...columns])
      .where(sql.ref('due_at'), 'is not', null)
      .execute()
  await db.schema
    .createIndex('account_webhook_delivery_failing')
    .on('account_webhook_delivery')
    .column('failing_since')
    .where(sql.ref('failing_since'), 'is not', null)
    .execute()
}
