import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** TXT values that prove names to a CA while a certificate is ordered. They are served, and are records of no account. */
export async function acmeChallenges(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_challenge')
    .addColumn('zone_id', int64, (column) => column.notNull().references('dns_zone.id').onDelete('cascade'))
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires_at', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('dns_challenge_key', ['zone_id', 'host', 'value'])
    .modifyEnd(clustered)
    .execute()
}
