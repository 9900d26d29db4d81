import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Zones that the operator has deleted, the slugs of packages of deleted accounts, and the indexes that find the rows of an account that is being deleted. */
export async function deletions(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  // The row of a deleted zone stays: it tells the other processes to serve the zone no more.
  await db.schema.alterTable('dns_zone').addColumn('deleted_at', int64).execute()
  await db.schema.createIndex('upload_by_account').on('upload').column('account_id').execute()
  await db.schema.createIndex('site_version_by_account').on('site_version').column('account_id').execute()
  // With deleted packages, which package_by_account leaves out.
  await db.schema.createIndex('package_of_account').on('package').column('account_id').execute()
  // Caches keep the downloads of packages for a year, so no other account may use their addresses.
  await db.schema
    .createTable('package_slug_retired')
    .addColumn('slug', 'text', (column) => column.primaryKey().notNull())
    .modifyEnd(clustered)
    .execute()
}
