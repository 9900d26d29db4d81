import { PostgresDialect } from 'kysely'
import pg from 'pg'
import { inTurns, type Exclusively } from '../in-turns.js'
import { migrate } from '../migrate.js'
import type { Database, Transaction } from '../port.js'
import type { Prepared } from '../prepared.js'
import type { Unit } from '../unit.js'

/** No statement and no wait for a lock or a connection lasts longer. */
const deadlineMs = 10_000
/** Who holds a lock needs a further connection for the work: locks have their own, so that they never take the last. */
const connectionsMax = 20
const locksMax = 8
const pingDeadlineMs = 2_000

// bigint comes as text by default; ours are milliseconds and ids, all within 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Connects and brings the schema up to date. @param url `postgres://user:password@host:port/database` */
export async function openPostgresDatabase(url: string, onIdleError: (error: Error) => void): Promise<Database> {
  const connect = (max: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: deadlineMs,
      statement_timeout: deadlineMs,
      idle_in_transaction_session_timeout: deadlineMs,
      application_name: 'svc',
    })
    // The server went away under an idle connection: the pool makes a new one at the next call.
    pool.on('error', onIdleError)
    return pool
  }
  await migrate('postgres', new PostgresDialect({ pool: connect(1) }))
  return new PostgresDatabase(connect(connectionsMax), connect(locksMax))
}

/** Statements are named, so each connection parses and plans them once. */
class PostgresConnection implements Transaction {
  constructor(private readonly client: Pick<pg.ClientBase, 'query'>) {}

  async one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0]
  }

  async all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    const { name, sql, bind } = query.for('postgres')
    const result = await this.client.query({ name, text: sql, values: bind(params) })
    return result.rows as R[]
  }

  async run<P, R>(query: Prepared<P, R>, params: P): Promise<number> {
    const { name, sql, bind } = query.for('postgres')
    const result = await this.client.query({ name, text: sql, values: bind(params) })
    return result.rowCount ?? 0
  }

  async only<P, R>(query: Prepared<P, R>, params: P): Promise<R> {
    const row = await this.one(query, params)
    if (row === undefined) throw new Error('A statement that must give back a row gave none.')
    return row
  }
}

class PostgresDatabase extends PostgresConnection implements Database {
  readonly dialect = 'postgres'
  readonly #turns = inTurns()

  constructor(
    private readonly pool: pg.Pool,
    private readonly locks: pg.Pool,
  ) {
    super(pool)
  }

  async write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R> {
    const client = await this.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const value = await unit.work(new PostgresConnection(client), ...args)
      await client.query('commit')
      return value
    } catch (error) {
      await client.query('rollback').catch((failure: unknown) => {
        broken = failure as Error
      })
      throw error
    } finally {
      // A connection that could not even roll back is not put back into the pool.
      client.release(broken)
    }
  }

  /** Turns within the process first: of many who wait, one holds a connection. It is handed around without its object. */
  readonly exclusively: Exclusively = (key, work) =>
    this.#turns(key, async () => {
      const client = await this.locks.connect()
      try {
        await client.query('select pg_advisory_lock(hashtextextended($1, 1))', [key])
        return await work()
      } finally {
        const unlocked = client.query('select pg_advisory_unlock(hashtextextended($1, 1))', [key])
        // A connection that cannot say so is dropped, and its lock with it.
        await unlocked.then(
          () => client.release(),
          () => client.release(true),
        )
      }
    })

  async ping(): Promise<void> {
    const late = new Promise<never>((_, reject) => {
      setTimeout(reject, pingDeadlineMs, new Error('PostgreSQL does not answer.')).unref()
    })
    await Promise.race([this.pool.query('select 1'), late])
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.locks.end()])
  }
}
