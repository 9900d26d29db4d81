import type { Database } from './port.js'

/** Where the database is: `SVC_DATABASE`, parsed. */
export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string }

/** Opens the configured database, up to date. Only the adapter that is configured is loaded. */
export async function connect(config: DatabaseConfig, onIdleError: (error: Error) => void): Promise<Database> {
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteDatabase } = await import('./sqlite/sqlite.js')
      return openSqliteDatabase(config.file)
    }
    case 'postgres': {
      const { openPostgresDatabase } = await import('./postgres/postgres.js')
      return openPostgresDatabase(config.url, onIdleError)
    }
  }
}
