import { Kysely, Migrator, SqliteAdapter, sql, type Dialect as KyselyDialect } from 'kysely'
import { migrations } from './migrations/index.js'
import type { Dialect } from './port.js'

/**
 * Applies all pending migrations in one transaction. A lock lets processes that start together migrate one after another.
 * @param connection its connections are closed at the end
 * @throws Error if a migration fails; then none of them is applied
 */
export async function migrate(dialect: Dialect, connection: KyselyDialect): Promise<void> {
  const db = new Kysely<unknown>({ dialect: dialect === 'sqlite' ? locking(connection) : connection })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(dialect) } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw new Error('The migration of the database schema failed.', { cause: error })
  } finally {
    await db.destroy()
  }
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
