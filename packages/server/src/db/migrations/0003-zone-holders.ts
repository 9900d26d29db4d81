import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * Records belong to the account that created them. A zone names the account whose records it serves, counts their bytes,
 * and may be reserved for the operator.
 *
 * The holder of an existing zone is the account with its verified claim. The former holder of a released zone is unknown:
 * its records belong to no account, and are served until an account verifies the zone.
 */
export async function zoneHolders(db: Kysely<unknown>, { int64, dialect }: ColumnTypes): Promise<void> {
  // Every row of dns_record is rewritten, which may take longer than the statement timeout.
  if (dialect === 'postgres') await sql`set local statement_timeout = 0`.execute(db)

  await db.schema
    .alterTable('dns_zone')
    .addColumn('holder_id', int64, (column) => column.references('account.id'))
    .execute()
  await db.schema
    .alterTable('dns_zone')
    .addColumn('content_bytes', int64, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('dns_record').addColumn('account_id', int64).execute()

  await sql`update dns_zone set holder_id =
    (select account_id from dns_claim where zone = dns_zone.name and status = 'verified')`.execute(db)
  await sql`update dns_record set account_id = (select holder_id from dns_zone where id = dns_record.zone_id)`.execute(
    db,
  )
  await sql`update dns_zone set content_bytes =
    (select coalesce(sum(octet_length(value) + octet_length(host)), 0) from dns_record where zone_id = dns_zone.id)`.execute(
    db,
  )
  // Serves the count of the zones that an account has released.
  await db.schema.createIndex('dns_zone_by_holder').on('dns_zone').column('holder_id').execute()

  await db.schema
    .createTable('dns_reserved')
    .addColumn('zone', 'text', (column) => column.primaryKey())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
}
