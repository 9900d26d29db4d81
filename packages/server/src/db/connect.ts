import type { Database } from './port.js'

/** The parsed setting `SVC_DATABASE`, or flag of a command: which database to open. */
export type DatabaseConfig = (
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres'; readonly url: string }
) & {
  /** The flag that names the database, for messages; undefined for the settings. */
  readonly flag?: string
}

/**
 * Opens the configured database, and migrates its schema to this version. Imports only the configured adapter.
 * @param onLost called for each lost connection; the adapter opens a new one when it needs one
 * @param onFatal called when this process can no longer use the database; every call fails from then on
 * @param onNew called before a database is made, or gets its tables; what it throws is the error, and nothing has changed
 * @throws OperatorError if it was moved, or a load into it has not ended
 */
export async function connect(
  config: DatabaseConfig,
  onLost: (error: Error) => void,
  onFatal: (error: Error) => void = onLost,
  onNew: () => void = () => undefined,
): Promise<Database> {
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteDatabase } = await import('./sqlite/sqlite.js')
      return openSqliteDatabase(config.file, onFatal, onNew)
    }
    case 'postgres': {
      const { openPostgresDatabase } = await import('./postgres/postgres.js')
      return openPostgresDatabase(config.url, onLost, onNew)
    }
  }
}

/**
 * Notes in a database that it is moved, so that no process opens it from then on.
 * @param url of the other database, without a password; null to use this one again
 */
export async function setMovedTo(config: DatabaseConfig, url: string | null): Promise<void> {
  switch (config.kind) {
    case 'sqlite': {
      const { setSqliteMovedTo } = await import('./sqlite/sqlite.js')
      return setSqliteMovedTo(config.file, url)
    }
    case 'postgres': {
      const { setPostgresMovedTo } = await import('./postgres/postgres.js')
      return setPostgresMovedTo(config.url, url)
    }
  }
}
