import type { Database } from './port.js'

/** Where the database is: `SVC_DATABASE`, parsed. */
export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string }

/**
 * Opens the configured database, up to date. Only the adapter that is configured is loaded.
 * @param onLost called for each lost connection; new ones are opened when needed
 * @param onFatal called when this process can no longer use the database; every call fails from then on
 */
export async function connect(
  config: DatabaseConfig,
  onLost: (error: Error) => void,
  onFatal: (error: Error) => void = onLost,
): Promise<Database> {
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteDatabase } = await import('./sqlite/sqlite.js')
      return openSqliteDatabase(config.file, onFatal)
    }
    case 'postgres': {
      const { openPostgresDatabase } = await import('./postgres/postgres.js')
      return openPostgresDatabase(config.url, onLost)
    }
  }
}
