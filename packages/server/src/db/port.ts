import type { Dialect } from './dialect.js'
import type { Wakeup } from '../shared/wakeup.js'
import type { WithLock } from './keyed-mutex.js'
import type { Reader } from './transaction.js'
import type { Unit } from './unit.js'

export type { Dialect } from './dialect.js'
export type { Reader, Transaction } from './transaction.js'

/**
 * Durable storage of rows: when `write` resolves, its rows survive a power cut. Every adapter runs the same migrations
 * and the same store code.
 */
export interface Database extends Reader {
  readonly dialect: Dialect

  /**
   * A number that changes with every commit of any process, so rows that were read at this number are still current. The
   * same for all calls in one turn of the event loop, unless a write of this process ends between them. Undefined on PostgreSQL, which has no such number that is cheaper than a query.
   */
  commitNumber(): number | undefined

  /**
   * Runs one unit of work in a transaction and resolves once the commit is durable. If the unit throws, its changes are
   * rolled back. Only if the commit itself fails can a crash or a lost connection leave the changes in place
   * (docs/operating.md says when). On SQLite, queued units share one commit, each in its own savepoint. The caller must
   * not change the arguments before it resolves.
   * @throws the error of the unit: an ApiError arrives as an ApiError
   */
  write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R>

  /** Called after each write of this process, also one that has failed. */
  readonly writes: Pick<Wakeup, 'listen'>

  /**
   * Runs work under a lock that all processes on this database share, with no transaction open: for requests that
   * must reach another server in order. A process that is killed releases its locks.
   */
  readonly withLock: WithLock

  /** The same for jobs, which may take long: no job holds up the work of `withLock`, or another job. Keys are the names of jobs. */
  readonly withJobLock: WithLock

  /**
   * Erases the values of deleted and changed rows from the write-ahead log of SQLite, whose database file no longer has them. No-op on
   * PostgreSQL, which keeps them until a vacuum: only `truncate` and `vacuum full` erase them.
   * @throws Error if another process reads the database for more than ten seconds
   */
  eraseLog(): Promise<void>

  /** Resolves when the database answers. @throws Error if it does not answer within two seconds */
  ping(): Promise<void>

  /** Finishes running writes, then closes all connections. Later calls are rejected. */
  close(): Promise<void>
}
