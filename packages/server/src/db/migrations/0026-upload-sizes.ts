import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The declared size of an upload, and the index of the list of open uploads. */
export async function uploadSizes(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('upload').addColumn('size', int64).execute()
  await db.schema
    .createIndex('upload_open')
    .on('upload')
    .columns(['account_id', 'id'])
    .where(sql.ref('file_id'), 'is', null)
    .execute()
}
