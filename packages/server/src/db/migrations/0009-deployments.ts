import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Forms, webhooks and short links, and the submissions of forms. */
export async function deployments(db: Kysely<unknown>, { int64, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('deployment')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('target', 'text')
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('uses', int64, (column) => column.notNull())
    .addColumn('kept', int64, (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('expires_at', int64)
    .addColumn('max_uses', int64)
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('updated_at', int64, (column) => column.notNull())
    .addUniqueConstraint('deployment_at', ['kind', 'slug'])
    .execute()
  await db.schema.createIndex('deployment_by_account').on('deployment').columns(['account_id', 'id']).execute()

  // Not a foreign key: the entries of a deleted deployment are removed in the background, a part at a time.
  await db.schema
    .createTable('deployment_deleted')
    .addColumn('deployment_id', int64, (column) => column.primaryKey().notNull())
    .execute()

  await db.schema
    .createTable('form_submission')
    .addColumn('deployment_id', int64, (column) => column.notNull())
    .addColumn('id', int64, (column) => column.notNull())
    .addColumn('received_at', int64, (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('form_submission_key', ['deployment_id', 'id'])
    .modifyEnd(clustered)
    .execute()
}
