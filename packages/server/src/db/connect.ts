import type { Database } from './port.js'
import type { SchemaMode } from './migrate.js'

/** The parsed setting `SVC_DATABASE`: which database to open. */
export type DatabaseConfig =
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres'; readonly url: string }

/**
 * Opens the configured database, and migrates its schema to this version or only checks it. Imports only the configured adapter.
 * @param onLost called for each lost connection; the adapter opens a new one when it needs one
 * @param onFatal called when this process can no longer use the database; every call fails from then on
 * @throws OtherSchema if the schema is checked and belongs to another version
 */
export async function connect(
  config: DatabaseConfig,
  onLost: (error: Error) => void,
  onFatal: (error: Error) => void = onLost,
  schema: SchemaMode = 'migrate',
): Promise<Database> {
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteDatabase } = await import('./sqlite/sqlite.js')
      return openSqliteDatabase(config.file, onFatal, schema)
    }
    case 'postgres': {
      const { openPostgresDatabase } = await import('./postgres/postgres.js')
      return openPostgresDatabase(config.url, onLost, schema)
    }
  }
}
