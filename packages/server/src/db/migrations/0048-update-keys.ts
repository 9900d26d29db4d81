import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Tokens may have an update key, with which a router sets the address of one host. */
export async function updateKeys(db: Kysely<unknown>, { bytes }: ColumnTypes): Promise<void> {
  for (const column of ['update_hash', 'former_update_hash']) {
    await db.schema.alterTable('token').addColumn(column, bytes).execute()
    await db.schema
      .createIndex(`token_by_${column}`)
      .on('token')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute()
  }
}
