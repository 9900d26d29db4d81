import { sql, type ColumnDataType, type Expression, type Kysely, type RawBuilder } from 'kysely'
import type { Dialect } from '../dialect.js'

/** How each dialect spells the types that differ. */
export interface ColumnTypes {
  readonly dialect: Dialect
  /** Milliseconds since the epoch, byte counts, foreign ids. */
  int64: ColumnDataType
  bytes: ColumnDataType
  /** A primary key that the database counts up; never given out twice. */
  id: Expression<unknown>
  /** Put behind a table whose rows are to lie in the order of its primary key. */
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

/** A migration, written once for all dialects. Never changed once released: a later one mends it. */
export type MigrationStep = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>
