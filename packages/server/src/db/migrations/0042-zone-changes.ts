import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * The history of zones: what each change removed and added. Not additive: a version without it would change records without their
 * entries, and a zone that is rebuilt from the others would be wrong.
 */
export async function zoneChanges(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('zone_change')
    .addColumn('zone_id', int64, (column) => column.notNull().references('dns_zone.id').onDelete('cascade'))
    .addColumn('account_id', int64, (column) => column.notNull())
    .addColumn('serial', int64, (column) => column.notNull())
    .addColumn('history_end', int64, (column) => column.notNull())
    .addColumn('at', int64, (column) => column.notNull())
    .addColumn('actor_id', int64)
    .addColumn('action', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor_name', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('removed', 'text', (column) => column.notNull())
    .addColumn('added', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('zone_change_key', ['zone_id', 'account_id', 'serial'])
    .modifyEnd(clustered)
    .execute()
  await db.schema
    .alterTable('dns_zone')
    .addColumn('history_end', int64, (column) => column.notNull().defaultTo(0))
    .execute()
}
