import type { Row, TableShape } from './table-shape.js'

/** What opening a bulk target does with the rows of a load that did not end. */
export interface BulkOptions {
  /** The migrations that the rows come from. The tables get exactly these first. */
  readonly migrations: readonly string[]
  /** Whether rows that an interrupted load has committed are kept, if its tables have the same migrations. */
  readonly resumes: boolean
}

/**
 * A database that is filled with the rows of another one. Until `complete`, it cannot be used: on SQLite it is a temporary file, on
 * PostgreSQL the table `installation` has no row.
 */
export interface BulkTarget {
  /** Referenced tables first. */
  readonly tables: readonly TableShape[]

  /** How many rows of a table an interrupted load has left. They are the first ones that it inserted. */
  countRows(table: string): Promise<number>

  /** Inserts rows. On PostgreSQL, they are committed. @param columns the order of the values */
  insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>

  /** Reads the inserted rows, in the order of the primary key. @param table the order of its columns is that of the values */
  rows(table: TableShape): AsyncIterable<readonly Row[]>

  /**
   * Makes the database usable: no id is given out again, the schema is that of this version, all references are valid, everything is
   * durable.
   * @param lastIds the last id that each table with generated ids has given out
   */
  complete(lastIds: ReadonlyMap<string, number>, installationId: string): Promise<void>

  /** Closes a target that was not completed. On SQLite, nothing has changed then. */
  abandon(): Promise<void>
}
