import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Stored objects, files, how the edge serves them, uploads in parts, and what an account uses of its limits. */
export async function files(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await createBlobs(db, types)
  await createFiles(db, types)
  await createEdge(db, types)
  await createUploads(db, types)
  await createUse(db, types)
}

async function createBlobs(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('blob_writer')
    .addColumn('id', int64, (column) => column.primaryKey())
    .addColumn('expires_at', int64, (column) => column.notNull())
    .addColumn('renewals', int64, (column) => column.notNull())
    .execute()

  // Never deleted: a process takes one writer a day, and its objects stay for years.
  await db.schema
    .createTable('blob_writer_ended')
    .addColumn('id', int64, (column) => column.primaryKey())
    .execute()

  await db.schema
    .createTable('blob')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .modifyEnd(clustered)
    .execute()
}

async function createFiles(db: Kysely<unknown>, { int64, bytes, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('file')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('size', int64, (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('share_key', 'text', (column) => column.unique())
    .addColumn('edge_ttl', 'integer', (column) => column.notNull())
    .addColumn('serving', 'integer', (column) => column.notNull())
    .addColumn('edge_version', int64, (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('updated_at', int64, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('file_by_account').on('file').columns(['account_id', 'id']).execute()
  await db.schema
    .createIndex('file_shared')
    .on('file')
    .columns(['account_id', 'id'])
    .where(sql.ref('share_key'), 'is not', null)
    .execute()

  // The bytes of a file, in the order of `start`: a large upload is assembled without copying them.
  await db.schema
    .createTable('file_part')
    .addColumn('file_id', int64, (column) => column.notNull().references('file.id'))
    .addColumn('start', int64, (column) => column.notNull())
    .addColumn('blob_key', 'text', (column) => column.notNull().references('blob.key'))
    .addColumn('size', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_part_key', ['file_id', 'start'])
    .modifyEnd(clustered)
    .execute()
  // An object belongs to one file. The deletion of a blob looks up its references with this index.
  await db.schema.createIndex('file_part_by_blob').on('file_part').column('blob_key').unique().execute()

  // The bytes of a small file. It has no parts.
  await db.schema
    .createTable('file_content')
    .addColumn('file_id', int64, (column) => column.primaryKey().notNull().references('file.id'))
    .addColumn('bytes', bytes, (column) => column.notNull())
    .execute()
}

async function createEdge(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('file_traffic')
    .addColumn('file_id', int64, (column) => column.primaryKey().references('file.id'))
    .addColumn('requests', int64, (column) => column.notNull())
    .addColumn('hits', int64, (column) => column.notNull())
    .addColumn('misses', int64, (column) => column.notNull())
    .addColumn('bytes_served', int64, (column) => column.notNull())
    .execute()

  // Not a foreign key: the copies of a deleted file have to be purged too.
  await db.schema
    .createTable('edge_purge')
    .addColumn('file_id', int64, (column) => column.primaryKey())
    .addColumn('version', int64, (column) => column.notNull())
    .execute()
}

async function createUploads(db: Kysely<unknown>, { int64, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('upload')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('expires_at', int64, (column) => column.notNull())
    // Set when the upload is finished. Not a foreign key: the file may be deleted before the upload expires.
    .addColumn('file_id', int64)
    .execute()
  await db.schema.createIndex('upload_by_expiry').on('upload').column('expires_at').execute()

  await db.schema
    .createTable('upload_part')
    .addColumn('upload_id', int64, (column) => column.notNull().references('upload.id'))
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('blob_key', 'text', (column) => column.notNull().references('blob.key'))
    .addColumn('size', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('upload_part_key', ['upload_id', 'part'])
    .modifyEnd(clustered)
    .execute()
  await db.schema.createIndex('upload_part_by_blob').on('upload_part').column('blob_key').unique().execute()
}

async function createUse(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('storage_use')
    .addColumn('account_id', int64, (column) => column.primaryKey().references('account.id'))
    .addColumn('files', int64, (column) => column.notNull())
    .addColumn('shared', int64, (column) => column.notNull())
    .addColumn('bytes', int64, (column) => column.notNull())
    .addColumn('uploads', int64, (column) => column.notNull())
    .addColumn('objects', int64, (column) => column.notNull())
    .execute()
}
