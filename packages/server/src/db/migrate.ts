import { Kysely, Migrator, SqliteAdapter, sql, type Dialect as KyselyDialect, type Migration } from 'kysely'
import { migrations } from './migrations/index.js'
import type { Dialect } from './port.js'

/** What opening a database does with the schema of another version. */
export type SchemaMode = 'migrate' | 'check'

/**
 * Migrates the schema to this version, or checks that it has this version.
 * @param connection its connections are closed at the end
 * @throws OtherSchema if a newer version has migrated the database, or if it is checked and belongs to an older one; Error if a
 *   migration fails
 */
export async function prepareSchema(mode: SchemaMode, dialect: Dialect, connection: KyselyDialect): Promise<void> {
  const db = new Kysely<MigrationTables>({ dialect: dialect === 'sqlite' ? locking(connection) : connection })
  try {
    const known = migrations(dialect)
    const applied = await appliedMigrations(db, dialect)
    const unknown = applied.filter((name) => !Object.hasOwn(known, name))
    if (unknown.length > 0) throw new OtherSchema(unknown)
    if (mode === 'migrate') await applyPending(db, known)
    else if (applied.length < Object.keys(known).length) throw new OtherSchema([])
  } finally {
    await db.destroy()
  }
}

/** Applies all pending migrations in one transaction. A lock lets processes that start together migrate one after another. */
async function applyPending(db: Kysely<MigrationTables>, known: Record<string, Migration>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('The migration of the database schema failed.', { cause: error })
}

/** The tables are those of another version of svc. */
export class OtherSchema extends Error {
  override readonly name = 'OtherSchema'

  /** @param unknown migrations that only a newer version has; empty for an older version, and for a database without tables */
  constructor(readonly unknown: readonly string[]) {
    super(`The database has the tables of ${unknown.length > 0 ? 'a newer' : 'an older'} version of svc.`)
  }
}

/** The names of the applied migrations; none for a database without tables. */
async function appliedMigrations(db: Kysely<MigrationTables>, dialect: Dialect): Promise<readonly string[]> {
  const exists =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`
  if ((await exists.execute(db)).rows.length === 0) return []
  return (await db.selectFrom('kysely_migration').select('name').execute()).map(({ name }) => name)
}

/** Kysely's table of the applied migrations. */
interface MigrationTables {
  kysely_migration: { name: string }
}

/** Kysely's adapter assumes that SQLite has neither transactional DDL nor a migration lock. It has both. */
class LockingSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The first statement of the transaction writes, which takes SQLite's one write lock until the commit. */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`update kysely_migration_lock set is_locked = 0`.execute(db)
  }
}

const locking = (connection: KyselyDialect): KyselyDialect => ({
  createAdapter: () => new LockingSqliteAdapter(),
  createDriver: () => connection.createDriver(),
  createIntrospector: (db) => connection.createIntrospector(db),
  createQueryCompiler: () => connection.createQueryCompiler(),
})
