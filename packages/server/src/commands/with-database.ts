import { existsSync } from 'node:fs'
import { connect, type DatabaseConfig } from '../db/connect.js'
import { assertKnown } from '../db/migrate.js'
import type { Database } from '../db/port.js'
import { describeDatabase } from '../config/database.js'
import { OperatorError } from '../shared/operator-error.js'
import { StorageError } from '../ports/blobs/port.js'
import { explainDatabaseFailure } from '../serve/database-failure.js'
import { assertUsableFile, databaseFile } from '../shared/usable-path.js'
import { writeStderr } from '../shared/terminal.js'

/**
 * Opens the database, runs `act`, and closes it. A server may use the same database at the same time.
 * @param onFatal called when this process can no longer use the database
 */
export async function withDatabase<R>(
  config: DatabaseConfig,
  act: (db: Database) => Promise<R>,
  onFatal?: (error: Error) => void,
): Promise<R> {
  const onLost = (error: Error) => writeStderr(`The database connection was lost: ${error.message}\n`)
  return explainingFailures(config, async () => {
    const db = await connect(config, onLost, onFatal)
    try {
      return await act(db)
    } finally {
      await db.close()
    }
  })
}

/** Runs work on a database that it opens itself. @throws OperatorError for a failure that the operator can repair */
export async function explainingFailures<R>(config: DatabaseConfig, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StorageError) throw new OperatorError(error.message, 1, { cause: error })
    throw explainDatabaseFailure(error, config)
  }
}

/** The same for commands that need existing data: if the file is missing, its path is most likely wrong. */
export async function withExistingDatabase<R>(
  config: DatabaseConfig,
  act: (db: Database) => Promise<R>,
  onFatal?: (error: Error) => void,
): Promise<R> {
  await requireExisting(config)
  return withDatabase(config, act, onFatal)
}

/** @throws OperatorError for a SQLite file that does not exist */
export async function requireExisting(config: DatabaseConfig): Promise<void> {
  if (config.kind === 'sqlite' && !existsSync(config.file)) {
    // A file in a directory that this user may not enter looks missing.
    await assertUsableFile(config.file, databaseFile)
    throw new OperatorError(`There is no database ${describeDatabase(config)}: ${nameTheServers}`)
  }
}

/**
 * For commands that read a database of any older version.
 * @param applied the names of the applied migrations
 * @throws NewerSchema; OperatorError for a database without tables of svc
 */
export function requireTables(config: DatabaseConfig, applied: readonly string[]): void {
  assertKnown(applied)
  if (applied.length === 0)
    throw new OperatorError(`The database ${describeDatabase(config)} has no tables of svc: ${nameTheServers}`)
}

const nameTheServers = "name the server's with --data or --database, or SVC_DATA or SVC_DATABASE."
