import { existsSync } from 'node:fs'
import { connect, type DatabaseConfig } from '../db/connect.js'
import type { SchemaMode } from '../db/migrate.js'
import type { Database } from '../db/port.js'
import { describeDatabase } from '../config/database.js'
import { OperatorError } from '../operator-error.js'
import { explainDatabaseFailure } from '../serve/database-failure.js'
import { assertUsableFile, databaseFile } from '../shared/usable-path.js'
import { writeStderr } from '../terminal.js'

/**
 * Opens the database, runs `act`, and closes it. A server may use the same database at the same time.
 * @param onFatal called when this process can no longer use the database
 */
export async function withDatabase<R>(
  config: DatabaseConfig,
  act: (db: Database) => Promise<R>,
  onFatal?: (error: Error) => void,
  schema: SchemaMode = 'migrate',
): Promise<R> {
  const onLost = (error: Error) => writeStderr(`The database connection was lost: ${error.message}\n`)
  try {
    const db = await connect(config, onLost, onFatal, schema)
    try {
      return await act(db)
    } finally {
      await db.close()
    }
  } catch (error) {
    throw explainDatabaseFailure(error, config)
  }
}

/** The same for commands that read a database beside any server, also one of another version. */
export const withUnchangedDatabase = <R>(config: DatabaseConfig, act: (db: Database) => Promise<R>): Promise<R> =>
  withExistingDatabase(config, act, undefined, 'check')

/** The same for commands that need existing data: if the file is missing, its path is most likely wrong. */
export async function withExistingDatabase<R>(
  config: DatabaseConfig,
  act: (db: Database) => Promise<R>,
  onFatal?: (error: Error) => void,
  schema?: SchemaMode,
): Promise<R> {
  if (config.kind === 'sqlite' && !existsSync(config.file)) {
    // A file in a directory that this user may not enter looks missing.
    await assertUsableFile(config.file, databaseFile)
    throw new OperatorError(
      `There is no database ${describeDatabase(config)}: name the server's with --data or --database, or SVC_DATA or SVC_DATABASE.`,
    )
  }
  return withDatabase(config, act, onFatal, schema)
}
