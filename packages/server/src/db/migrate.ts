import { Kysely, Migrator, SqliteAdapter, sql, type Dialect as KyselyDialect, type Migration } from 'kysely'
import { isAdditive, migrationNames, migrations } from './migrations/index.js'
import type { Dialect } from './port.js'
import { movedAway, unfinishedLoad } from './unusable-database.js'

/**
 * Applies all pending migrations to the database of a server or command.
 * @param connection its connections are closed at the end
 * @param onNew called before tables are made in a database that has none of svc; what it throws is the error
 * @throws OperatorError if a load into the database has not ended, or it was moved; the errors of `migrate`
 */
export const prepareSchema = (dialect: Dialect, connection: KyselyDialect, onNew: () => void): Promise<void> =>
  withConnection(dialect, connection, async (db) => {
    if (!(await hasTable(dialect, db, 'kysely_migration'))) onNew()
    await assertUsable(dialect, db)
    await applyMigrations(dialect, db)
  })

/** Notes where a database is moved to, after all pending migrations. @param url without a password; null to use it again */
export const noteMove = (dialect: Dialect, connection: KyselyDialect, url: string | null): Promise<void> =>
  withConnection(dialect, connection, async (db) => {
    await applyMigrations(dialect, db)
    await db.updateTable('installation').set({ moved_to: url }).execute()
  })

/**
 * Applies pending migrations in one transaction. A lock lets processes that start together migrate one after another.
 * @param connection its connections are closed at the end
 * @param last the last migration to apply; by default all are applied
 * @throws NewerSchema if a newer version has migrated the database; Error if a migration fails; then none of them is applied
 */
export const migrate = (dialect: Dialect, connection: KyselyDialect, last?: string): Promise<void> =>
  withConnection(dialect, connection, (db) => applyMigrations(dialect, db, last))

/** A newer version of svc has migrated the database. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema'

  /** @param unknown the migrations that only a newer version has */
  constructor(readonly unknown: readonly string[]) {
    super('The database has the tables of a newer version of svc.')
  }
}

/** @param applied the names of the applied migrations @returns those that only a newer version has */
export const unknownIn = (applied: readonly string[], known = migrationNames): string[] =>
  applied.filter((name) => !known.includes(name))

/** @param applied the names of the applied migrations @throws NewerSchema unless all are known or only add */
export function assertKnown(applied: readonly string[]): void {
  const unknown = unknownIn(applied).filter((name) => !isAdditive(name))
  if (unknown.length > 0) throw new NewerSchema(unknown)
}

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

async function applyMigrations(dialect: Dialect, db: Kysely<MigrationTables>, last?: string): Promise<void> {
  const applied = await appliedTo(dialect, db)
  assertKnown(applied)
  const all = { ...migrations(dialect), ...withoutSteps(unknownIn(applied)) }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } })
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last))
  if (error !== undefined) throw new Error('The migration of the database schema failed.', { cause: error })
}

async function appliedTo(dialect: Dialect, db: Kysely<MigrationTables>): Promise<string[]> {
  if (!(await hasTable(dialect, db, 'kysely_migration'))) return []
  return (await db.selectFrom('kysely_migration').select('name').execute()).map(({ name }) => name)
}

/** Kysely would call the migrations of a newer version corrupted. They are applied, so no step runs. */
const withoutSteps = (names: readonly string[]): Record<string, Migration> =>
  Object.fromEntries(names.map((name) => [name, { up: () => Promise.resolve() }]))

/** Before any migration: a load may be running, and its rows need the schema that they come from. */
async function assertUsable(dialect: Dialect, db: Kysely<MigrationTables>): Promise<void> {
  if (!(await hasTable(dialect, db, 'installation'))) return
  const installation = await db.selectFrom('installation').selectAll().executeTakeFirst()
  if (installation === undefined) throw unfinishedLoad()
  // Undefined before the migration that adds the column.
  const url = installation.moved_to ?? null
  if (url !== null) throw movedAway(url)
}

async function hasTable(dialect: Dialect, db: Kysely<MigrationTables>, table: keyof MigrationTables): Promise<boolean> {
  const found =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`
      : sql`select 1 where to_regclass(${table}) is not null`
  return (await found.execute(db)).rows.length > 0
}

/** Kysely's table of the applied migrations, and the table that a load fills last. */
interface MigrationTables {
  kysely_migration: { name: string }
  installation: { id: string; moved_to: string | null }
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
