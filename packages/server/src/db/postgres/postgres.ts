import { PostgresDialect } from 'kysely'
import { keyedMutex, type WithLock } from '../keyed-mutex.js'
import { requireUnmoved } from '../installation-store.js'
import { noteMove, prepareSchema } from '../migrate.js'
import type { Database } from '../port.js'
import type { Prepared } from '../prepared.js'
import type { Unit } from '../unit.js'
import { Wakeup } from '../../shared/wakeup.js'
import { Connections, openPool } from './connections.js'
import { requireSessions } from './require-sessions.js'
import { sessionLocks } from './session-locks.js'
import { runInTransaction, toStatement } from './transaction.js'

/** Maximum duration of a call, including its wait for a lock or a connection. */
const deadlineMs = 10_000
/** The server's own timeout is this much shorter, so that its error, which names the lock or statement, comes first. */
const answerMs = 500
const statementMs = deadlineMs - answerMs
/**
 * Pool sizes. Reads have a separate pool, so that writes that wait for a lock do not block them. Locks have one too,
 * because a lock holder needs a second connection for its work.
 */
const readsMax = 8
const writesMax = 12
const locksMax = 8
const pingMs = 2_000
/** A migration may rewrite a large table. */
const migrationStatementMs = 600_000

/**
 * Connects, and migrates the schema to this version.
 * @param url `postgres://user:password@host:port/database`
 * @param onLost called for each connection that is lost while it is idle or holds a lock
 * @param onNew see `connect`
 */
export async function openPostgresDatabase(
  url: string,
  onLost: (error: Error) => void,
  onNew: () => void = () => undefined,
): Promise<Database> {
  await requireSessions(url)
  await prepareSchema('postgres', migrationConnection(url, onLost), onNew)
  const database = new PostgresDatabase(url, onLost)
  try {
    // A move may have begun since. From here on, it finds the connection of this query, and does not begin.
    await requireUnmoved(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** `setMovedTo` of a database on a server. */
export const setPostgresMovedTo = (url: string, movedTo: string | null): Promise<void> =>
  noteMove(
    'postgres',
    migrationConnection(url, () => undefined),
    movedTo,
  )

const migrationConnection = (url: string, onLost: (error: Error) => void): PostgresDialect =>
  new PostgresDialect({ pool: openPool({ url, max: 1, statementMs: migrationStatementMs, onLost }) })

class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly withLock: WithLock
  readonly withJobLock: WithLock
  readonly writes = new Wakeup()
  readonly #reads: Connections
  readonly #writes: Connections
  readonly #locks: Connections
  readonly #withLockKey = keyedMutex()
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(url: string, onLost: (error: Error) => void) {
    const options = { url, statementMs, onLost }
    this.#reads = new Connections({ ...options, max: readsMax })
    this.#writes = new Connections({ ...options, max: writesMax, runsTransactions: true })
    this.#locks = new Connections({ ...options, max: locksMax })
    this.withLock = sessionLocks(this.#locks, 1, onLost)
    this.withJobLock = sessionLocks(this.#locks, 2, onLost)
  }

  async one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0]
  }

  async all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    const until = performance.now() + deadlineMs
    const { rows } = await this.#run(() => this.#reads.use(until, (client) => client.query(toStatement(query, params))))
    return rows as R[]
  }

  /** Writes with the same lock key run one after another: while another session holds their lock, they occupy one connection. */
  async write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R> {
    const until = performance.now() + deadlineMs
    const write = () => this.#writes.use(until, (client) => runInTransaction(client, beginStatement(until), unit, args))
    const lockKey = unit.lockKey?.(...args)
    try {
      return await this.#run(() => (lockKey === undefined ? write() : this.#withLockKey(lockKey, write, statementMs)))
    } finally {
      this.writes.call()
    }
  }

  commitNumber(): undefined {
    return undefined
  }

  eraseLog(): Promise<void> {
    return Promise.resolve()
  }

  async ping(): Promise<void> {
    await this.#reads.use(performance.now() + pingMs, (client) => client.query('select 1'))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
    await Promise.all([this.#reads.end(), this.#writes.end(), this.#locks.end()])
  }

  /** Runs a call that `close` waits for. */
  async #run<R>(call: () => Promise<R>): Promise<R> {
    if (this.#isClosed) throw new Error('The database is closed.')
    const running = call()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }
}

/** The statement that begins a transaction. It sets a shorter statement timeout if a wait for a lock or a connection has taken time. */
function beginStatement(until: number): string {
  const leftMs = Math.floor(until - performance.now()) - answerMs
  // The session's timeout is close enough: the error still comes before the deadline.
  if (leftMs >= statementMs - answerMs / 2) return 'begin read write'
  return `begin read write; set local statement_timeout = ${String(Math.max(leftMs, 1))}`
}
