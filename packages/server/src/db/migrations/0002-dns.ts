import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Zones, the claims on them, their records. */
export async function dns(db: Kysely<unknown>, { int64, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_zone')
    .addColumn('id', id)
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('serial', int64, (column) => column.notNull())
    .addColumn('version', int64, (column) => column.notNull())
    .addColumn('last_record_id', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('dns_zone_by_version').on('dns_zone').column('version').execute()

  await db.schema
    .createTable('dns_claim')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('txt_value', 'text')
    .addColumn('created_at', int64, (column) => column.notNull())
    .addUniqueConstraint('dns_claim_of_account', ['account_id', 'zone'])
    .execute()
  await db.schema.createIndex('dns_claim_by_zone').on('dns_claim').column('zone').execute()
  // A claim on a reverse zone conflicts with claims on zones above and below it.
  await sql`create index dns_claim_reverse on dns_claim (zone) where zone like '%.arpa'`.execute(db)
  // Two accounts never hold one zone, even if their verifications race: this index rejects the second.
  await sql`create unique index dns_claim_verified on dns_claim (zone) where status = 'verified'`.execute(db)

  // Clustered in the order of a list. Times are text, because the database builds the JSON of a list.
  await db.schema
    .createTable('dns_record')
    .addColumn('zone_id', int64, (column) => column.notNull().references('dns_zone.id'))
    .addColumn('id', int64, (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('ttl', 'integer', (column) => column.notNull())
    .addColumn('priority', 'integer')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('dns_record_key', ['zone_id', 'id'])
    .modifyEnd(clustered)
    .execute()
  await db.schema.createIndex('dns_record_by_host').on('dns_record').columns(['zone_id', 'host']).execute()
}
