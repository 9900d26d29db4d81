import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The versions of a site have numbers of their own, which are not used again after a version is gone. */
export async function siteVersionNumbers(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  // Null for a version that has not been published, and for one that was no longer kept.
  await db.schema.alterTable('site_version').addColumn('number', int64).execute()
  await db.schema
    .alterTable('site')
    .addColumn('last_version', int64, (column) => column.notNull().defaultTo(0))
    .execute()
  // A site has at most five versions. Served by site_version_by_site (site_id, id desc).
  await sql`update site_version set number = (
    select count(*) from site_version as older
    where older.site_id = site_version.site_id and older.id <= site_version.id) where site_id is not null`.execute(db)
  await sql`update site set last_version = (
    select count(*) from site_version where site_version.site_id = site.id)`.execute(db)
  await db.schema
    .createIndex('site_version_number')
    .on('site_version')
    .columns(['site_id', 'number'])
    .unique()
    .where(sql.ref('site_id'), 'is not', null)
    .execute()
}
