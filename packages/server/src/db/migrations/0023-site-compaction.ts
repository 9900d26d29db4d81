import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The objects of sites to compact, at first all of them, and the use of sites in bytes of contents instead of objects. */
export async function siteCompaction(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('site_compaction')
    .addColumn('blob_key', 'text', (column) => column.primaryKey().notNull().references('blob.key').onDelete('cascade'))
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('due_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('site_compaction_due').on('site_compaction').columns(['due_at', 'blob_key']).execute()
  await db.schema.createIndex('site_compaction_by_account').on('site_compaction').column('account_id').execute()
  await sql`insert into site_compaction (blob_key, account_id, due_at)
    select blob_key, min(account_id), 0 from site_content group by blob_key`.execute(db)
  await sql`update site_use set bytes = (
    select cast(coalesce(sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)), 0) as bigint)
    from site_content where site_content.account_id = site_use.account_id)`.execute(db)
}
