import type { Kysely } from 'kysely'

/** Tokens may have rules. Not an additive migration: a version without it would give such a token everything of its scopes. */
export async function tokenRules(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('token').addColumn('rules', 'text').execute()
}
