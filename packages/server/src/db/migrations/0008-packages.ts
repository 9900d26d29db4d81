import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Packages, their versions and artifacts, and what an account uses of its limits. */
export async function packages(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await createPackages(db, types)
  await createVersions(db, types)

  await db.schema
    .createTable('package_use')
    .addColumn('account_id', types.int64, (column) => column.primaryKey().references('account.id'))
    .addColumn('packages', types.int64, (column) => column.notNull())
    .addColumn('slugs', types.int64, (column) => column.notNull())
    .addColumn('artifacts', types.int64, (column) => column.notNull())
    .addColumn('bytes', types.int64, (column) => column.notNull())
    .execute()
}

async function createPackages(db: Kysely<unknown>, { dialect, int64, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('package')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    // Unique among all accounts: a slug belongs to the account that used it first. Sorted by its bytes on both databases.
    .addColumn('slug', dialect === 'postgres' ? sql`text collate "C"` : 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('versions', int64, (column) => column.notNull())
    .addColumn('versions_ever', int64, (column) => column.notNull())
    .addColumn('artifacts', int64, (column) => column.notNull())
    .addColumn('downloads', int64, (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('updated_at', int64, (column) => column.notNull())
    // A deleted package keeps its row: caches keep its downloads for a year, so no other account may use their addresses.
    .addColumn('deleted_at', int64)
    .execute()
  await db.schema
    .createIndex('package_by_account')
    .on('package')
    .columns(['account_id', 'slug'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute()
}

async function createVersions(db: Kysely<unknown>, { int64, id }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('package_version')
    .addColumn('id', id)
    .addColumn('package_id', int64, (column) => column.notNull().references('package.id'))
    .addColumn('version', 'text', (column) => column.notNull())
    // The version without build metadata, which SemVer ignores: two versions that differ only in it are the same.
    .addColumn('precedence', 'text', (column) => column.notNull())
    .addColumn('artifacts', int64, (column) => column.notNull())
    .addColumn('downloads', int64, (column) => column.notNull())
    .addColumn('published_at', int64, (column) => column.notNull())
    // A deleted version keeps its row, without artifacts, so that it is never published again.
    .addColumn('deleted_at', int64)
    .addUniqueConstraint('package_version_key', ['package_id', 'precedence'])
    .execute()

  await db.schema
    .createTable('package_artifact')
    .addColumn('id', id)
    .addColumn('version_id', int64, (column) => column.notNull().references('package_version.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    // An object belongs to one artifact. The deletion of a blob looks up its references with this index.
    .addColumn('blob_key', 'text', (column) => column.notNull().unique().references('blob.key'))
    .addColumn('downloads', int64, (column) => column.notNull())
    .addUniqueConstraint('package_artifact_key', ['version_id', 'name'])
    .execute()
}
