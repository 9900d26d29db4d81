import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * Requests for shared files and uses of deployments, by day. The sums of an account have a table: an account may share
 * 100,000 files, and the days of a deleted file stay in its sums.
 */
export async function days(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  for (const [table, owner] of [
    ['file_traffic_day', 'file'],
    ['account_traffic_day', 'account'],
  ] as const)
    await db.schema
      .createTable(table)
      .addColumn(`${owner}_id`, int64, (column) => column.notNull().references(`${owner}.id`))
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('requests', int64, (column) => column.notNull())
      .addColumn('hits', int64, (column) => column.notNull())
      .addColumn('misses', int64, (column) => column.notNull())
      .addColumn('bytes_served', int64, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, [`${owner}_id`, 'day'])
      .modifyEnd(clustered)
      .execute()

  await db.schema
    .createTable('deployment_use_day')
    .addColumn('deployment_id', int64, (column) => column.notNull().references('deployment.id'))
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('uses', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_use_day_key', ['deployment_id', 'day'])
    .modifyEnd(clustered)
    .execute()

  // For the jobs that remove old days, of all accounts.
  await db.schema.createIndex('file_traffic_day_by_day').on('file_traffic_day').columns(['day', 'file_id']).execute()
  await db.schema
    .createIndex('account_traffic_day_by_day')
    .on('account_traffic_day')
    .columns(['day', 'account_id'])
    .execute()
  await db.schema
    .createIndex('deployment_use_day_by_day')
    .on('deployment_use_day')
    .columns(['day', 'deployment_id'])
    .execute()
}
