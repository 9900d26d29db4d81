import pg from 'pg'
import { Client, type Connection } from './client.js'
import { setUp, type SessionOptions } from './session-settings.js'
import { Slots, timeLeft } from '../../shared/slots.js'

// The driver returns bigint as text by default. Ours are milliseconds, ids and sizes, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Maximum time to open a connection, and to wait for a free one. */
const connectMs = 5_000

/** Maximum number of calls that wait for a connection. Further ones could not be served in time. */
const waitingMax = 1_000

/** Idle time before the first TCP keepalive probe. Node.js sends ten probes, one second apart. */
const keepAliveInitialDelayMillis = 10_000

export interface ConnectionsOptions extends SessionOptions {
  readonly max: number
  /** Called for each connection that is lost while idle. */
  readonly onLost: (error: Error) => void
}

/** Opens a pool in which a lost connection costs at most one failed query. */
export function openPool(options: ConnectionsOptions): pg.Pool {
  const { url, max, runsTransactions = false, onLost } = options
  const pool = new pg.Pool({
    Client,
    connectionString: url,
    ...(runsTransactions && { pipeline: true }),
    max,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    application_name: 'svc',
    ...setUpAtConnect(options),
  })
  // Emitted when an idle connection is lost. The pool opens a new one for the next call.
  pool.on('error', onLost)
  return pool
}

/** pg-pool waits for the promise before it gives the connection out; its types do not say so. */
const setUpAtConnect = (options: SessionOptions) => ({
  onConnect: (client: pg.ClientBase): Promise<void> =>
    withDeadline(client as Connection, performance.now() + connectMs, (it) => setUp(it, options)),
})

/** A database call exceeded its deadline. */
export class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout'
}

/** A connection that is checked out of the pool, until `release`. */
export interface CheckedOut {
  readonly client: Connection
  readonly release: () => void
}

/** A shared set of connections. Every call has a deadline, even if the server or the network hangs. */
export class Connections {
  readonly #pool: pg.Pool
  readonly #slots: Slots

  constructor(options: ConnectionsOptions) {
    this.#pool = openPool(options)
    this.#slots = new Slots(options.max, waitingMax)
  }

  /**
   * Runs work on a separate connection, which is cut at the deadline.
   * @param until deadline on the clock of `performance.now()`, in milliseconds
   * @throws DatabaseTimeout
   */
  async use<R>(until: number, work: (client: Connection) => Promise<R>): Promise<R> {
    const { client, release } = await this.checkOut(until)
    try {
      return await withDeadline(client, until, work)
    } finally {
      release()
    }
  }

  /**
   * Takes a connection out of the pool.
   * @param until deadline on the clock of `performance.now()`, in milliseconds
   * @throws DatabaseTimeout if no connection was free in time; the driver's error if it cannot open one
   */
  async checkOut(until: number): Promise<CheckedOut> {
    if (!(await this.#slots.take(until))) throw new DatabaseTimeout('Timed out waiting for a connection to PostgreSQL.')
    // With one promise and one timer: `Promise.race` and its handlers cost each query several more.
    return new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        reject(new DatabaseTimeout('Timed out connecting to PostgreSQL.'))
      }, timeLeft(until))
      // The pool is never full here: it takes an idle connection or opens one.
      this.#pool.connect((error, opened) => {
        clearTimeout(timer)
        if (opened === undefined) {
          this.#slots.release()
          reject(error ?? new Error('The pool has no connection.'))
          return
        }
        const client = opened as pg.PoolClient & Connection
        const release = () => {
          client.release(client.isCut)
          this.#slots.release()
        }
        if (isLate) release()
        else resolve({ client, release })
      })
    })
  }

  async end(): Promise<void> {
    await this.#pool.end()
  }
}

/** Runs work and cuts the connection at the deadline, so that no query waits for an answer that never comes. */
export async function withDeadline<R>(
  client: Connection,
  until: number,
  work: (client: Connection) => Promise<R>,
): Promise<R> {
  const timer = setTimeout(() => {
    client.cut(new DatabaseTimeout('Timed out waiting for an answer from PostgreSQL.'))
  }, timeLeft(until))
  try {
    return await work(client)
  } finally {
    clearTimeout(timer)
  }
}
