import type { Kysely } from 'kysely'

/** Where `svc database move` has moved a database, so that no server goes on with the old one. */
export async function movedDatabases(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installation').addColumn('moved_to', 'text').execute()
}
