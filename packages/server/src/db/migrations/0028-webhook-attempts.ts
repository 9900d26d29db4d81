import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The attempts to forward a request, and since when its delivery fails. */
export async function webhookAttempts(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  // Not a foreign key: the attempts of a deleted webhook are removed in the background, with its requests.
  await db.schema
    .createTable('webhook_attempt')
    .addColumn('deployment_id', int64, (column) => column.notNull())
    .addColumn('request_id', int64, (column) => column.notNull())
    // The slots of a request are reused in turn: one statement stores an attempt and drops the oldest one.
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('started_at', int64, (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('answer', 'text')
    .addPrimaryKeyConstraint('webhook_attempt_key', ['deployment_id', 'request_id', 'slot'])
    .modifyEnd(clustered)
    .execute()

  await db.schema
    .alterTable('webhook_delivery')
    .addColumn('recorded', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('webhook_delivery').addColumn('failing_since', int64).execute()
  await sql`update webhook_delivery set failing_since = updated_at
    where last_error is not null and attempts > 0`.execute(db)
  // The deliveries of an account that fail are counted by webhook.
  await db.schema
    .createIndex('webhook_delivery_failing')
    .on('webhook_delivery')
    .columns(['account_id', 'deployment_id', 'failing_since'])
    .where(sql.ref('failing_since'), 'is not', null)
    .execute()
}
