import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Uses of deployments by hour, for the last days, and the failed attempts of webhooks beside them. */
export async function useHours(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('deployment_use_day')
    .addColumn('failures', int64, (column) => column.notNull().defaultTo(0))
    .execute()
  // A slot is used again by a later hour, so that no job has to remove old hours.
  await db.schema
    .createTable('deployment_use_hour')
    .addColumn('deployment_id', int64, (column) => column.notNull().references('deployment.id'))
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('hour', 'integer', (column) => column.notNull())
    .addColumn('uses', int64, (column) => column.notNull())
    .addColumn('failures', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_use_hour_key', ['deployment_id', 'slot'])
    .modifyEnd(clustered)
    .execute()
}
