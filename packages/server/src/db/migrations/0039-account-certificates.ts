import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/**
 * Certificates of accounts beside those of the server: two accounts have separate rows, and so separate keys, for the same names. And the
 * zones for which accounts have asked for one, and the orders that count in the limits.
 */
export async function accountCertificates(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { int64, id, bytes } = types
  await db.schema
    .createTable('certificate_next')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.references('account.id').onDelete('cascade'))
    .addColumn('zone', 'text')
    .addColumn('site', 'text')
    .addColumn('names', 'text', (column) => column.notNull())
    .addColumn('wanted', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at', int64, (column) => column.notNull().defaultTo(0))
    .addColumn('next_at', int64, (column) => column.notNull())
    .addColumn('leased_until', int64, (column) => column.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('failing_since', int64)
    .addColumn('error', 'text')
    .addColumn('chain', 'text')
    .addColumn('not_after', int64)
    .addColumn('renew_at', int64)
    .addColumn('ordered_at', int64)
    .addColumn('since', int64)
    .addColumn('master_key_id', 'text')
    .addColumn('sealed', bytes)
    .execute()
  const kept = sql.raw(
    'names, next_at, leased_until, failures, error, chain, renew_at, ordered_at, since, master_key_id, sealed',
  )
  await sql`insert into certificate_next (${kept}) select ${kept} from certificate`.execute(db)
  await db.schema.dropTable('certificate').execute()
  await db.schema.alterTable('certificate_next').renameTo('certificate').execute()
  // Unique indexes do not compare null.
  await sql`create unique index certificate_of_server on certificate (names) where account_id is null`.execute(db)
  await db.schema
    .createIndex('certificate_of_account')
    .unique()
    .on('certificate')
    .columns(['account_id', 'names'])
    .execute()
  await sql`create index certificate_due on certificate (next_at) where wanted = 1`.execute(db)
  await sql`create index certificate_ended on certificate (not_after) where wanted = 0`.execute(db)
  await zonesAndOrders(db, types)
}

async function zonesAndOrders(db: Kysely<unknown>, { int64, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('tls_zone')
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('tls_zone_key', ['account_id', 'zone'])
    .modifyEnd(clustered)
    .execute()

  await db.schema
    .createTable('certificate_order')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id').onDelete('cascade'))
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('ordered_at', int64, (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createIndex('certificate_order_by_account')
    .on('certificate_order')
    .columns(['account_id', 'ordered_at'])
    .execute()
  await db.schema
    .createIndex('certificate_order_by_domain')
    .on('certificate_order')
    .columns(['domain', 'ordered_at'])
    .execute()
}
