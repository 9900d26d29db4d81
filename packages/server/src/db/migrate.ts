import { Kysely, Migrator, SqliteAdapter, sql, type Dialect as KyselyDialect } from 'kysely'
import { migrations } from './migrations/index.js'
import type { Dialect } from './port.js'
import { unfinishedLoad } from './unfinished-load.js'

/** What opening a database does with the schema of another version. */
export type SchemaMode = 'migrate' | 'check'

/**
 * Migrates the schema to this version, or checks that it has this version.
 * @param connection its connections are closed at the end
 * @throws OperatorError if a load into the database has not ended; OtherSchema if the schema is checked and belongs to another version;
 * Error if a migration fails
 */
export const prepareSchema = (mode: SchemaMode, dialect: Dialect, connection: KyselyDialect): Promise<void> =>
  withConnection(dialect, connection, async (db) => {
    await assertLoaded(dialect, db)
    await (mode === 'migrate' ? applyMigrations(dialect, db) : assertMigrated(dialect, db))
  })

/**
 * Applies pending migrations in one transaction. A lock lets processes that start together migrate one after another.
 * @param connection its connections are closed at the end
 * @param last the last migration to apply; by default all are applied
 * @throws Error if a migration fails; then none of them is applied
 */
export const migrate = (dialect: Dialect, connection: KyselyDialect, last?: string): Promise<void> =>
  withConnection(dialect, connection, (db) => applyMigrations(dialect, db, last))

async function withConnection(
  dialect: Dialect,
  connection: KyselyDialect,
  work: (db: Kysely<MigrationTables>) => Promise<void>,
): Promise<void> {
  const db = new Kysely<MigrationTables>({ dialect: dialect === 'sqlite' ? locking(connection) : connection })
  try {
    await work(db)
  } finally {
    await db.destroy()
  }
}

const migratorOf = (dialect: Dialect, db: Kysely<MigrationTables>): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => migrations(dialect) } })

async function applyMigrations(dialect: Dialect, db: Kysely<MigrationTables>, last?: string): Promise<void> {
  const migrator = migratorOf(dialect, db)
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last))
  if (error !== undefined) throw new Error('The migration of the database schema failed.', { cause: error })
}

/** Before any migration: a load may be running, and its rows need the schema that they come from. */
async function assertLoaded(dialect: Dialect, db: Kysely<MigrationTables>): Promise<void> {
  const name =
    dialect === 'postgres'
      ? sql`to_regclass('installation')`
      : sql`(select name from sqlite_schema where name = 'installation')`
  const { rows } = await sql<{ exists: number | boolean }>`select ${name} is not null as "exists"`.execute(db)
  if (!rows[0]?.exists) return
  const installation = await db.selectFrom('installation').select('id').executeTakeFirst()
  if (installation === undefined) throw unfinishedLoad()
}

/** The tables are those of another version of svc. */
export class OtherSchema extends Error {
  override readonly name = 'OtherSchema'

  /** @param isNewer whether a newer version has migrated the database; false also for a database without tables */
  constructor(readonly isNewer: boolean) {
    super(`The database has the tables of ${isNewer ? 'a newer' : 'an older'} version of svc.`)
  }
}

async function assertMigrated(dialect: Dialect, db: Kysely<MigrationTables>): Promise<void> {
  const known = await migratorOf(dialect, db).getMigrations()
  if (known.some(({ executedAt }) => executedAt === undefined)) throw new OtherSchema(false)
  const applied = await db.selectFrom('kysely_migration').select('name').execute()
  if (applied.length > known.length) throw new OtherSchema(true)
}

/** Kysely's table of the applied migrations, and the table that a load fills last. */
interface MigrationTables {
  kysely_migration: { name: string }
  installation: { id: string }
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
