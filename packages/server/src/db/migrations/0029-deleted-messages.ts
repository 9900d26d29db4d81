import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** How many messages of an account have been deleted by their ids, between those that are kept. */
export async function deletedMessages(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('sms_inbox')
    .addColumn('deleted', int64, (column) => column.notNull().defaultTo(0))
    .execute()
}
