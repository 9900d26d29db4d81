import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Static sites, their versions, the contents of their files, and their own domains. */
export async function sites(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await createSites(db, types)
  await createContents(db, types)
  await createDomains(db, types)
}

async function createSites(db: Kysely<unknown>, { int64, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('site')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull().unique())
    // Not a foreign key: a site and its versions refer to each other.
    .addColumn('version_id', int64, (column) => column.notNull())
    .addColumn('files', int64, (column) => column.notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('deployed_at', int64, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('site_by_account')
    .on('site')
    .columns(['account_id', 'deployed_at desc', 'id desc'])
    .execute()

  // Without a site: a version that is still being deployed, was given up, or is no longer kept.
  await db.schema
    .createTable('site_version')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('site_id', int64, (column) => column.references('site.id'))
    .addColumn('files', int64, (column) => column.notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .addColumn('rules', 'text', (column) => column.notNull())
    .addColumn('deployed_at', int64)
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('site_version_by_site').on('site_version').columns(['site_id', 'id desc']).execute()
}

async function createContents(db: Kysely<unknown>, { int64, id, clustered }: ColumnTypes): Promise<void> {
  // Many contents share an object: an object for each file would cost a request to S3 or an fsync each.
  await db.schema
    .createTable('site_content')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .addColumn('blob_key', 'text', (column) => column.notNull().references('blob.key'))
    .addColumn('start', int64, (column) => column.notNull())
    .addColumn('gzip_start', int64)
    .addColumn('gzip_size', int64)
    .addColumn('br_start', int64)
    .addColumn('br_size', int64)
    .addColumn('unused_at', int64)
    .addUniqueConstraint('site_content_once', ['account_id', 'sha256'])
    .execute()
  await db.schema.createIndex('site_content_by_blob').on('site_content').column('blob_key').execute()
  await db.schema
    .createIndex('site_content_unused')
    .on('site_content')
    .columns(['unused_at', 'id'])
    .where(sql.ref('unused_at'), 'is not', null)
    .execute()

  await db.schema
    .createTable('site_use')
    .addColumn('account_id', int64, (column) => column.primaryKey().references('account.id'))
    .addColumn('bytes', int64, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('site_file')
    .addColumn('version_id', int64, (column) => column.notNull().references('site_version.id'))
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('content_id', int64, (column) => column.notNull().references('site_content.id'))
    .addPrimaryKeyConstraint('site_file_key', ['version_id', 'path'])
    .modifyEnd(clustered)
    .execute()
  await db.schema.createIndex('site_file_by_content').on('site_file').column('content_id').execute()
}

async function createDomains(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('site_domain')
    .addColumn('host', 'text', (column) => column.primaryKey().notNull())
    .addColumn('site_id', int64, (column) => column.notNull().references('site.id'))
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('records', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('site_domain_by_site').on('site_domain').column('site_id').execute()
  await db.schema.createIndex('site_domain_by_account').on('site_domain').columns(['account_id', 'host']).execute()
}
