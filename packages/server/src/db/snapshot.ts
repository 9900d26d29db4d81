import type { DatabaseConfig } from './connect.js'
import type { Snapshot } from './table-shape.js'

export interface SnapshotOptions {
  /** Whether no other process may use the database. No other process can write it until `close`. */
  readonly isExclusive?: boolean
}

/**
 * Opens a consistent view of all tables at this moment. It changes nothing, and does not hold up processes that write. While it is
 * open, SQLite's write-ahead log grows with each write, and PostgreSQL keeps deleted rows: close it soon.
 * @throws the error of the driver, also for a SQLite file that does not exist; OperatorError if another process uses the database and must not
 */
export async function openSnapshot(config: DatabaseConfig, options: SnapshotOptions = {}): Promise<Snapshot> {
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteSnapshot } = await import('./sqlite/snapshot.js')
      return openSqliteSnapshot(config.file, options)
    }
    case 'postgres': {
      const { openPostgresSnapshot } = await import('./postgres/snapshot.js')
      const { requireSessions } = await import('./postgres/require-sessions.js')
      await requireSessions(config.url)
      return openPostgresSnapshot(config.url, options)
    }
  }
}
