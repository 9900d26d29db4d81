import type { Database } from './port.js'

/** Where the database is: `SVC_DATABASE`, parsed. */
export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string }

/**
 * Opens the configured database, up to date. Only the adapter that is configured is loaded.
 * @param onLost told of connections that are lost; new ones are made when they are needed
 * @param onFatal told when the database can no longer be used by this process; until then, and after, every call says so
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
