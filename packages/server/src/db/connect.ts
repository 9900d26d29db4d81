import type { BulkOptions, BulkTarget } from './bulk-target.js'
import type { BulkTransaction } from './bulk-transaction.js'
import type { InspectedDatabase } from './inspected.js'
import type { Database } from './port.js'
import type { Snapshot, SnapshotOptions } from './table-shape.js'

/**
 * The parsed setting `SVC_DATABASE`, or flag of a command: which database to open. Every function of this file imports only the
 * adapter of the configured kind.
 */
export type DatabaseConfig = (
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }
) & {
  /** The flag that names the database, for messages; undefined for the settings. */
  readonly flag?: string
}

/**
 * Opens the configured database, and migrates its schema to this version.
 * @param onLost called for each lost connection; the adapter opens a new one when it needs one
 * @param onFatal called when this process can no longer use the database; every call fails from then on
 * @param onNew called before a database is made, or gets its tables; what it throws is the error, and nothing has changed
 * @throws OperatorError if it was moved, or a load into it has not ended
 */
export const connect = async (
  config: DatabaseConfig,
  onLost: (error: Error) => void,
  onFatal: (error: Error) => void = onLost,
  onNew: () => void = () => undefined,
): Promise<Database> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/sqlite.js')).openSqliteDatabase(config.file, onFatal, onNew)
    : (await import('./postgres/postgres.js')).openPostgresDatabase(config.url, onLost, onNew)

/**
 * Notes in a database that it is moved, so that no process opens it from then on.
 * @param url of the other database, without a password; null to use this one again
 */
export const setMovedTo = async (config: DatabaseConfig, url: string | null): Promise<void> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/sqlite.js')).setSqliteMovedTo(config.file, url)
    : (await import('./postgres/postgres.js')).setPostgresMovedTo(config.url, url)

/**
 * Opens a database of any version for reading.
 * @throws the error of Node.js or of the driver, with its `code`
 */
export const inspectDatabase = async (
  config: DatabaseConfig,
  onLost: (error: Error) => void,
): Promise<InspectedDatabase> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/inspected.js')).inspectSqlite(config.file)
    : (await import('./postgres/inspected.js')).inspectPostgres(config.url, onLost)

/**
 * Opens a consistent view of all tables at this moment. It changes nothing, and does not hold up processes that write. While it is
 * open, SQLite's write-ahead log grows with each write, and PostgreSQL keeps deleted rows: close it soon.
 * @throws the error of the driver, also for a SQLite file that does not exist; OperatorError if another process uses the database and must not
 */
export const openSnapshot = async (config: DatabaseConfig, options: SnapshotOptions = {}): Promise<Snapshot> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/snapshot.js')).openSqliteSnapshot(config.file, options)
    : (await import('./postgres/snapshot.js')).openPostgresSnapshot(config.url, options)

/**
 * Opens a database whose rows may be replaced (see `requireUnused`).
 * @throws OperatorError if another process uses it
 */
export const openBulkTarget = async (config: DatabaseConfig, options: BulkOptions): Promise<BulkTarget> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/bulk-target.js')).openSqliteBulkTarget(config.file, options)
    : (await import('./postgres/bulk-target.js')).openPostgresBulkTarget(config.url, options)

/**
 * Runs work in a transaction on a separate connection, and commits it. Unlike a unit of work, it may take minutes and await anything. On
 * SQLite, other writes wait for it meanwhile, and fail after ten seconds.
 * @throws the error of the work, and changes nothing; the error of the driver
 */
export const runBulkTransaction = async <R>(
  config: DatabaseConfig,
  work: (tx: BulkTransaction) => Promise<R>,
): Promise<R> =>
  config.kind === 'sqlite'
    ? (await import('./sqlite/bulk.js')).runSqliteBulk(config.file, work)
    : (await import('./postgres/bulk.js')).runPostgresBulk(config.url, work)
