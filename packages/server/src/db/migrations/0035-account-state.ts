import type { Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The operator may suspend accounts, and set limits of one account or of a plan. Sessions know when the password was last entered. */
export async function accountState(db: Kysely<unknown>, { int64 }: ColumnTypes): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('account')
    .addColumn('state', 'text', (column) => column.notNull().defaultTo('active'))
    .execute()
  await schema
    .alterTable('account')
    .addColumn('limits', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
  await schema.alterTable('account').addColumn('plan', 'text').execute()
  await schema
    .createTable('account_plan')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('limits', 'text', (column) => column.notNull())
    .addColumn('created_at', int64, (column) => column.notNull())
    .execute()
  await schema.createIndex('account_by_plan').on('account').column('plan').execute()
  // Accounts of which a server still removes rows.
  await schema.createIndex('account_by_state').on('account').column('state').execute()
  await schema
    .alterTable('session')
    .addColumn('password_at', int64, (column) => column.notNull().defaultTo(0))
    .execute()
}
