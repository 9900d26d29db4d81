import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * What accounts and the operator have done. A change of a zone is in `zone_change` already: its row here refers to it by zone and serial,
 * and gives it a place in the order of all events. Neither id has a foreign key, which each change of a record would pay for.
 */
export async function accountEvents(db: Kysely<unknown>, { int64, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('account_event')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull())
    .addColumn('at', int64, (column) => column.notNull())
    .addColumn('zone_id', int64)
    .addColumn('serial', int64)
    .addColumn('actor_id', int64)
    .addColumn('network', 'text')
    .addColumn('area', 'text')
    .addColumn('action', 'text')
    .addColumn('object', 'text')
    .addColumn('actor_kind', 'text')
    .addColumn('actor_name', 'text')
    .addColumn('request_id', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute()
  await db.schema.createIndex('account_event_by_account').on('account_event').columns(['account_id', 'id']).execute()
}
