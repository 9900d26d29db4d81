import { Kysely, Migrator, SqliteAdapter, sql, type Dialect as KyselyDialect } from 'kysely'
import { migrations } from './migrations/index.js'
import type { Dialect } from './port.js'

/**
 * Brings the schema up to date: all pending migrations in one transaction, under a lock, so that processes which start
 * together take turns. Closes the connections of the dialect it is given.
 */
export async function migrate(dialect: Dialect, connection: KyselyDialect): Promise<void> {
  const db = new Kysely<unknown>({ dialect: dialect === 'sqlite' ? locking(connection) : connection })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(dialect) } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw new Error('The database could not be brought up to date.', { cause: error })
  } finally {
    await db.destroy()
  }
}

/** Kysely takes SQLite for a database without transactional DDL and without a lock; it has both. */
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
