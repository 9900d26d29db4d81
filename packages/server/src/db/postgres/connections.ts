import pg from 'pg'
import { Client, type Connection } from './client.js'
import { Slots, timeLeft } from '../../shared/slots.js'

// The driver returns bigint as text by default. Ours are milliseconds, ids and sizes, all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Maximum time to open a connection, and to wait for a free one. */
const connectMs = 5_000

/** Maximum number of calls that wait for a connection. Further ones could not be served in time. */
const waitingMax = 1_000

/**
 * The server's TCP keepalive, in seconds (`tcp_user_timeout` in milliseconds). If svc's host disappears, the server ends
 * the session and releases its locks within a minute. The system's defaults take two hours.
 */
const serverKeepalive = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 60_000,
}

/** After the operator's own options: they must not override it. */
const readOnlyByDefault = '-c default_transaction_read_only=on'

/**
 * Makes the server end the statements of a client that has closed its connection: a write that is over at its deadline must not be
 * committed later. In milliseconds. PostgreSQL 13, and servers on some other systems than Linux, refuse the setting.
 */
const checkConnection = 'set client_connection_check_interval = 200'

/** Idle time before the first TCP keepalive probe. Node.js sends ten probes, one second apart. */
const keepAliveInitialDelayMillis = 10_000

export interface ConnectionsOptions {
  readonly url: string
  readonly max: number
  /** Maximum duration of a statement in milliseconds. */
  readonly statementMs: number
  /**
   * Whether the connections run only transactions (transaction.ts). Their statements are pipelined, and their sessions are read-only
   * outside `begin read write`, because PostgreSQL would commit each statement behind a failed `begin` alone.
   */
  readonly runsTransactions?: boolean
  /** Called for each connection that is lost while idle. */
  readonly onLost: (error: Error) => void
}

/** Opens a pool in which a lost connection costs at most one failed query. */
export function openPool({ url, max, statementMs, runsTransactions, onLost }: ConnectionsOptions): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString: withOptions(url, runsTransactions ? readOnlyByDefault : ''),
    ...(runsTransactions && { pipeline: true }),
    max,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    application_name: 'svc',
  })
  // Emitted when an idle connection is lost. The pool opens a new one for the next call.
  pool.on('error', onLost)
  if (runsTransactions)
    pool.on('connect', (client) => {
      // Without the setting, such a write has an unknown outcome, like one whose connection is lost.
      client.query(checkConnection).catch(() => undefined)
    })
  return pool
}

/** Adds the keepalive options in front of the operator's own options, which override them. @param last options that none overrides */
function withOptions(text: string, last: string): string {
  const url = new URL(text)
  const first = Object.entries(serverKeepalive).map(([name, value]) => `-c ${name}=${String(value)}`)
  url.searchParams.set('options', [...first, url.searchParams.get('options') ?? '', last].join(' ').trim())
  return url.href
}

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
