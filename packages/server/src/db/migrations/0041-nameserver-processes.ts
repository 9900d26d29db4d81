import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The servers with a nameserver of their own, and which zones with values of challenges each of them has loaded. */
export async function nameserverProcesses(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_process')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .modifyEnd(clustered)
    .execute()
  await db.schema
    .createTable('dns_process_zone')
    .addColumn('process_id', 'text', (column) => column.notNull())
    .addColumn('zone_id', int64, (column) => column.notNull().references('dns_zone.id').onDelete('cascade'))
    .addColumn('serial', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('dns_process_zone_key', ['zone_id', 'process_id'])
    .modifyEnd(clustered)
    .execute()
}
