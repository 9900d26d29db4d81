import pg from 'pg'
import { Client, type Connection } from './client.js'
import { Slots, timeLeft } from '../../shared/slots.js'

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

/** Idle time before the first TCP keepalive probe. Node.js sends ten probes, one second apart. */
const keepAliveInitialDelayMillis = 10_000

export interface ConnectionsOptions {
  readonly url: string
  readonly max: number
  /** Maximum duration of a statement in milliseconds. */
  readonly statementMs: number
  /** Called for each connection that is lost while idle. */
  readonly onLost: (error: Error) => void
}

/** Opens a pool in which a lost connection costs at most one failed query. */
export function openPool({ url, max, statementMs, onLost }: ConnectionsOptions): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString: withKeepalive(url),
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
  return pool
}

/** Adds the keepalive options in front of the operator's own options, which override them. */
function withKeepalive(text: string): string {
  const url = new URL(text)
  const ours = Object.entries(serverKeepalive).map(([name, value]) => `-c ${name}=${value}`)
  const given = url.searchParams.get('options')
  url.searchParams.set('options', [...ours, ...(given === null ? [] : [given])].join(' '))
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
    // The pool is never full here: it takes an idle connection or opens one.
    const connecting = this.#pool.connect() as Promise<pg.PoolClient & Connection>
    const release = (client: pg.PoolClient & Connection) => {
      client.release(client.isCut)
      this.#slots.release()
    }
    let isLate = false
    const opened = connecting.then(
      (client) => {
        if (isLate) release(client)
        return client
      },
      (error: unknown) => {
        this.#slots.release()
        throw error
      },
    )
    const client = await resultBefore(until, opened)
    if (client !== undefined) return { client, release: () => release(client) }
    isLate = true
    throw new DatabaseTimeout('Timed out connecting to PostgreSQL.')
  }

  async end(): Promise<void> {
    await this.#pool.end()
  }
}

/** The result of a promise; undefined if it has not settled at the deadline. */
async function resultBefore<R>(until: number, promise: Promise<R>): Promise<R | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeLeft(until))
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
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
