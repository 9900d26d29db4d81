import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Certificates that svc orders, with their keys, the keys of its accounts at CAs, and the proofs that its ports answer. */
export async function certificates(db: Kysely<unknown>, { id, int64, bytes, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('certificate')
    .addColumn('id', id)
    .addColumn('names', 'text', (column) => column.notNull().unique())
    .addColumn('next_at', int64, (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('chain', 'text')
    .addColumn('renew_at', int64)
    .addColumn('ordered_at', int64)
    .addColumn('since', int64)
    .addColumn('master_key_id', 'text')
    .addColumn('sealed', bytes)
    .execute()
  await db.schema
    .createTable('acme_account')
    .addColumn('id', id)
    .addColumn('directory', 'text', (column) => column.notNull().unique())
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('acme_proof')
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires_at', int64, (column) => column.notNull())
    .addPrimaryKeyConstraint('acme_proof_key', ['type', 'subject'])
    .modifyEnd(clustered)
    .execute()
}
