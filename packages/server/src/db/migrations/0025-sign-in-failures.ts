import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Failed sign-ins are forgiven over time, and the waits of an email can be cleared. */
export async function signInFailures(db: Kysely<unknown>, { int64, bytes }: ColumnTypes): Promise<void> {
  // The failures so far were counted by other rules.
  await sql`delete from sign_in_failure`.execute(db)
  await db.schema.alterTable('sign_in_failure').addColumn('email', bytes).execute()
  await db.schema
    .alterTable('sign_in_failure')
    .addColumn('forgiven_until', int64, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('sign_in_failure_by_email').on('sign_in_failure').column('email').execute()
}
