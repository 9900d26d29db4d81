import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Requests that webhooks have received, and their deliveries to the targets. */
export async function webhooks(db: Kysely<unknown>, { int64, bytes, clustered }: ColumnTypes): Promise<void> {
  // Not foreign keys: the requests of a deleted webhook are removed in the background, a part at a time.
  await db.schema
    .createTable('webhook_request')
    .addColumn('deployment_id', int64, (column) => column.notNull())
    .addColumn('id', int64, (column) => column.notNull())
    .addColumn('received_at', int64, (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text')
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('truncated', 'integer', (column) => column.notNull())
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_request_key', ['deployment_id', 'id'])
    .modifyEnd(clustered)
    .execute()

  await db.schema
    .createTable('webhook_delivery')
    .addColumn('deployment_id', int64, (column) => column.notNull())
    .addColumn('request_id', int64, (column) => column.notNull())
    .addColumn('account_id', int64, (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('due_at', int64)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('updated_at', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_delivery_key', ['deployment_id', 'request_id'])
    .modifyEnd(clustered)
    .execute()
  // With host and account, so that deliveries to busy ones are skipped without reading them.
  await db.schema
    .createIndex('webhook_delivery_due')
    .on('webhook_delivery')
    .columns(['due_at', 'host', 'account_id'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
  // The deliveries of an account that wait are counted.
  await db.schema
    .createIndex('webhook_delivery_waiting')
    .on('webhook_delivery')
    .column('account_id')
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}
