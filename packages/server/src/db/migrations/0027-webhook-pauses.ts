import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Until when the target of a webhook wants no request. */
export async function webhookPauses(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('deployment').addColumn('paused_until', int64).execute()
}
