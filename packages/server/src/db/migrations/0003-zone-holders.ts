import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * Records belong to the account that made them. A zone names the account whose records it serves, counts their bytes,
 * and may be reserved for the operator.
 *
 * The holder of an existing zone is the account with its verified claim. The former holder of a released zone is not
 * known: its records belong to no account, and are served until an account is verified.
 */
export async function zoneHolders(db: Kysely<unknown>, { int64, dialect }: ColumnTypes): Promise<void> {
  // Every row of dns_record is rewritten once, which may take longer than a statement of the server is given.
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
  // The zones that an account left behind when it released them are counted.
  await db.schema.createIndex('dns_zone_by_holder').on('dns_zone').column('holder_id').execute()

  await db.schema
    .createTable('dns_reserved')
    .addColumn('zone', 'text', (column) => column.primaryKey())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
}
