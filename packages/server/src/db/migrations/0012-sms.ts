import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** Forwarder keys of devices, and the messages that they post. */
export async function sms(db: Kysely<unknown>, { int64, bytes, id, clustered }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('sms_key')
    .addColumn('id', id)
    .addColumn('account_id', int64, (column) => column.notNull().references('account.id'))
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', bytes, (column) => column.notNull().unique())
    .addColumn('created_at', int64, (column) => column.notNull())
    .addColumn('last_used_at', int64)
    .addColumn('master_key_id', 'text')
    .addColumn('sealed', bytes)
    .addUniqueConstraint('sms_key_slot', ['account_id', 'slot'])
    // The limit of the specification, section 8: one slot for each key.
    .addCheckConstraint('sms_key_slots', sql`slot between 1 and 5`)
    .execute()

  await db.schema
    .createTable('sms_inbox')
    .addColumn('account_id', int64, (column) => column.primaryKey().notNull().references('account.id'))
    .addColumn('last_id', int64, (column) => column.notNull())
    .addColumn('removed_id', int64, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('sms_message')
    .addColumn('account_id', int64, (column) => column.notNull())
    .addColumn('id', int64, (column) => column.notNull())
    .addColumn('key_id', int64, (column) => column.notNull())
    .addColumn('stored_at', int64, (column) => column.notNull())
    .addColumn('received_at', int64, (column) => column.notNull())
    .addColumn('identity', bytes, (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('receiver', 'text')
    .addColumn('sim', 'text')
    .addColumn('device', 'text')
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('sms_message_key', ['account_id', 'id'])
    .addUniqueConstraint('sms_message_once', ['account_id', 'identity'])
    .modifyEnd(clustered)
    .execute()
}
