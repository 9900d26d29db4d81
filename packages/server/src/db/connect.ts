import type { Database } from './port.js'

/** The parsed setting `SVC_DATABASE`: which database to open. */
export type DatabaseConfig =
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres'; readonly url: string }

/**
 * Opens the configured database, and migrates its schema to this version. Imports only the configured adapter.
 * @param onLost called for each lost connection; the adapter opens a new one when it needs one
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
