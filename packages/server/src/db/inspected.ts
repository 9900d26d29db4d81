import type { Snapshot } from './table-shape.js'
import { unknownIn } from './migrate.js'
import { isAdditive, migrationNames } from './migrations/index.js'
import type { Database } from './port.js'
import type { WithLock } from './keyed-mutex.js'

/**
 * A database that is opened for reading, with the tables of any version of svc: nothing is migrated, and every write is rejected. A
 * server may use the same database at the same time.
 */
export interface InspectedDatabase extends Database {
  /** The names of the applied migrations. Empty if the database has no tables of svc. */
  migrations(): Promise<readonly string[]>

  /** All tables at this moment. The caller closes it. */
  snapshot(): Promise<Snapshot>

  /** The settings of the PostgreSQL server; undefined on SQLite. */
  server(): Promise<PostgresServer | undefined>

  /** Checks the file of SQLite (sqlite/integrity.ts). Undefined on PostgreSQL, which has no such check. */
  readonly checkIntegrity: ((deadlineMs: number, signal: AbortSignal) => Promise<Integrity | undefined>) | undefined
}

export interface Integrity {
  /** Of pages and indexes, in the words of SQLite. */
  readonly damages: readonly string[]
  /** Rows that refer to rows which do not exist. */
  readonly orphans: readonly string[]
}

export interface PostgresServer {
  /** Such as 150004 for 15.4. */
  readonly versionNumber: number
  readonly version: string
  readonly encoding: string
  /** Connections that other users than superusers may open. */
  readonly connectionsMax: number
  /** Open connections of all clients. */
  readonly connections: number
  readonly fsync: string
  readonly fullPageWrites: string
  readonly synchronousCommit: string
  readonly isStandby: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** How the tables of a database relate to this version of svc. Additions of a newer version do not matter. */
export type SchemaState = 'current' | 'older' | 'newer' | 'empty'

/** @param applied the names of the applied migrations */
export function schemaStateOf(applied: readonly string[]): SchemaState {
  if (applied.length === 0) return 'empty'
  if (unknownIn(applied).some((name) => !isAdditive(name))) return 'newer'
  return migrationNames.every((name) => applied.includes(name)) ? 'current' : 'older'
}

const refuse = (): Promise<never> => Promise.reject(new Error('The database is open for reading only.'))

/** The part of the port that changes the database. */
export const noWrites: Pick<Database, 'write' | 'writes' | 'withLock' | 'withJobLock' | 'eraseLog'> = {
  write: refuse,
  writes: { listen: () => () => undefined },
  withLock: refuse satisfies WithLock,
  withJobLock: refuse satisfies WithLock,
  eraseLog: refuse,
}
