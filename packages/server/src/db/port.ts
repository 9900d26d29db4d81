import type { Dialect } from './dialect.js'
import type { WithLock } from './keyed-mutex.js'
import type { Reader } from './transaction.js'
import type { Unit } from './unit.js'

export type { Dialect } from './dialect.js'
export type { Reader, Transaction } from './transaction.js'

/**
 * Where rows live. Acknowledged means durable: when `write` resolves, its rows survive a power cut. The same
 * migrations and the same store code run on every adapter; only `prepared.ts` knows that there are dialects.
 */
export interface Database extends Reader {
  readonly dialect: Dialect

  /**
   * Runs one unit of work in a transaction and resolves once it is durable; when it throws, it is rolled back. Only if
   * the commit itself fails may a crash or a lost connection leave it in place (docs/operating.md says when).
   * On SQLite, units that wait together are committed together, each in its own savepoint.
   * @throws whatever the unit throws: an ApiError arrives as an ApiError
   */
  write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R>

  /**
   * Runs work under a lock that all processes on this database share, with no transaction open: for requests that
   * must reach another server in order. A process that is killed releases its locks.
   */
  readonly withLock: WithLock

  /** Resolves when the database answers. @throws when it does not within two seconds */
  ping(): Promise<void>

  /** Finishes the writes under way and lets go of everything. */
  close(): Promise<void>
}
