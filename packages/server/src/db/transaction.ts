import type { Dialect } from './dialect.js'
import type { Prepared } from './prepared.js'

/** Reads from the database. Each call sees all writes that any process had acknowledged before it. */
export interface Reader {
  /** @returns the first row; undefined if the query has no rows */
  one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined>
  all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]>
}

/** The transaction of a unit of work. Reads see the unit's own writes. */
export interface Transaction extends Reader {
  /** For statements that only one of the databases has. */
  readonly dialect: Dialect

  /** Runs a statement for its effect. @returns the number of rows that it inserted, updated or deleted */
  run<P, R>(query: Prepared<P, R>, params: P): Promise<number>

  /**
   * Runs a statement whose result the unit does not need. On PostgreSQL it is queued until the next awaited statement or the commit,
   * which saves its round trip. If it fails, the write rejects with its error and nothing is committed; the unit cannot catch the error.
   */
  send<P, R>(query: Prepared<P, R>, params: P): void

  /** Runs a statement that always returns a row, such as an upsert. @throws Error if it returns none */
  only<P, R>(query: Prepared<P, R>, params: P): Promise<R>
}
