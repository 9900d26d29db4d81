import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** What the operator's commands have done, and when a token was last noted in a new network. */
export async function operatorEvents(db: Kysely<unknown>, { int64, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('operator_event')
    .addColumn('id', id)
    .addColumn('at', int64, (column) => column.notNull())
    .addColumn('command', 'text', (column) => column.notNull())
    .addColumn('object', 'text', (column) => column.notNull())
    .addColumn('account', 'text')
    .addColumn('os_user', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute()
  await db.schema.alterTable('token').addColumn('network_noted_at', int64).execute()
}
