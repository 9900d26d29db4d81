import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The slugs of deployments, which stay with their accounts, and an index with which the deliveries of webhooks take turns. */
export async function slugsAndTurns(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  // Also of deleted deployments and accounts: senders may go on sending, so no other account may use the addresses.
  await db.schema
    .createTable('deployment_slug')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    // Null for the slug of a deleted account.
    .addColumn('account_id', int64, (column) => column.references('account.id'))
    .addPrimaryKeyConstraint('deployment_slug_key', ['kind', 'slug'])
    .modifyEnd(clustered)
    .execute()
  await db.schema.createIndex('deployment_slug_by_account').on('deployment_slug').column('account_id').execute()
  await sql`insert into deployment_slug (kind, slug, account_id) select kind, slug, account_id from deployment`.execute(
    db,
  )

  await db.schema
    .createIndex('webhook_delivery_turn')
    .on('webhook_delivery')
    .columns(['host', 'account_id', 'deployment_id', 'due_at'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}
