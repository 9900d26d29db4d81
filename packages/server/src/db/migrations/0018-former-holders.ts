import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The accounts with records in zones that they held before: no index of the records has the account alone. */
export async function formerHolders(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('dns_former_holder')
    .addColumn('account_id', int64, (column) => column.notNull())
    .addColumn('zone_id', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('dns_former_holder_key', ['account_id', 'zone_id'])
    .modifyEnd(clustered)
    .execute()
  await sql`insert into dns_former_holder (account_id, zone_id)
    select distinct dns_record.account_id, zone_id from dns_record join dns_zone on dns_zone.id = zone_id
      where dns_record.account_id is not null and (holder_id is null or holder_id <> dns_record.account_id)`.execute(db)
}
