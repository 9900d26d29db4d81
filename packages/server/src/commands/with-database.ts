import { existsSync } from 'node:fs'
import { connect, type DatabaseConfig } from '../db/connect.js'
import { OtherSchema, type SchemaMode } from '../db/migrate.js'
import type { Database } from '../db/port.js'
import { describeDatabase } from '../config/database.js'
import { OperatorError } from '../operator-error.js'
import { StorageError } from '../ports/blobs/port.js'
import { explainDatabaseFailure } from '../serve/database-failure.js'
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
  return explainingFailures(config, async () => {
    const db = await connect(config, onLost, onFatal, schema)
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
    throw error instanceof OtherSchema ? explainOtherSchema(error, config) : explainDatabaseFailure(error, config)
  }
}

const explainOtherSchema = ({ isNewer }: OtherSchema, config: DatabaseConfig): OperatorError =>
  new OperatorError(
    isNewer
      ? `The database ${describeDatabase(config)} belongs to a newer version of svc: use that version.`
      : `The database ${describeDatabase(config)} does not have the tables of this version of svc: start the server of this version, which migrates it, or use the version of svc that the server has.`,
  )

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
  requireExisting(config)
  return withDatabase(config, act, onFatal, schema)
}

/** @throws OperatorError for a SQLite file that does not exist */
export function requireExisting(config: DatabaseConfig): void {
  if (config.kind === 'sqlite' && !existsSync(config.file))
    throw new OperatorError(
      `There is no database ${describeDatabase(config)}: name the server's with --data or --database, or SVC_DATA or SVC_DATABASE.`,
    )
}
