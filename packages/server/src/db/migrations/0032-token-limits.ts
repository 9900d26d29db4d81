import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Tokens may end, rest and be bound to networks. After a rotation, the value before works for some hours. */
export async function tokenLimits(db: Kysely<unknown>, { int64, bytes }: ColumnTypes): Promise<void> {
  for (const column of ['expires_at', 'unused_days', 'former_until'])
    await db.schema.alterTable('token').addColumn(column, int64).execute()
  await db.schema
    .alterTable('token')
    .addColumn('networks', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('token')
    .addColumn('paused', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('token').addColumn('last_used_network', 'text').execute()
  await db.schema.alterTable('token').addColumn('former_hash', bytes).execute()
  await db.schema
    .createIndex('token_by_former_hash')
    .on('token')
    .column('former_hash')
    .where(sql.ref('former_hash'), 'is not', null)
    .execute()
}
