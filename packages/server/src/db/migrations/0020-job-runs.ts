import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** When each job has last run, so that a process that restarts more often than its interval runs it too. */
export async function jobRuns(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('job_run')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('ended_at', int64, (column) => column.notNull())
    .execute()
}
