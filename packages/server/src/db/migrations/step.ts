import { sql, type ColumnDataType, type Expression, type Kysely, type RawBuilder } from 'kysely'
import type { Dialect } from '../dialect.js'

/** Column types whose SQL differs between the dialects. */
export interface ColumnTypes {
  readonly dialect: Dialect
  /** Milliseconds since the epoch, byte counts, foreign ids. */
  int64: ColumnDataType
  bytes: ColumnDataType
  /** A primary key that the database increments and never reuses. */
  id: Expression<unknown>
  /** Table suffix that stores the rows in the order of the primary key. Empty on PostgreSQL, which has no such tables. */
  clustered: RawBuilder<unknown>
}

export const columnTypes: Record<Dialect, ColumnTypes> = {
  sqlite: {
    dialect: 'sqlite',
    int64: 'integer',
    bytes: 'blob',
    id: sql`integer primary key autoincrement`,
    clustered: sql`without rowid`,
  },
  postgres: {
    dialect: 'postgres',
    int64: 'bigint',
    bytes: 'bytea',
    id: sql`bigint generated always as identity primary key`,
    clustered: sql``,
  },
}

/**
 * A migration, written once for all dialects. A released migration never changes: a later one corrects it. If a version without it can
 * use the database, its name ends with `.additive` (`isAdditive`).
 */
export type MigrationStep = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>
