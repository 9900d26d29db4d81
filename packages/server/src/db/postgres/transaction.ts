import pg from 'pg'
import type { Transaction } from '../port.js'
import type { Prepared } from '../prepared.js'
import type { Unit } from '../unit.js'
import type { Connection } from './client.js'

/**
 * Transactions on a pipelined connection. `send` queues a statement. The next statement whose result the unit awaits, or the commit,
 * takes the queued ones along in its packet; the first packet also contains `begin`. So a unit has one round trip for each `await`, and
 * one for the commit with the statements that are still queued.
 */

/** A statement of the driver. It is named, so that a connection parses and plans it once. */
export function toStatement<P, R>(query: Prepared<P, R>, params: P): pg.QueryConfig {
  const { name, sql, bind } = query.for('postgres')
  return { name, text: sql, values: bind(params) }
}

/**
 * Runs a unit and commits. If the unit throws or a queued statement fails, the transaction is rolled back. If the answer to the commit
 * is lost, its outcome is unknown. When it settles, every statement is answered, or the connection is cut.
 * @param begin the statement that begins the transaction
 */
export const runInTransaction = <A extends readonly unknown[], R>(
  client: Connection,
  begin: string,
  unit: Unit<A, R>,
  args: A,
): Promise<R> => runWork(client, new PostgresTransaction(client, begin), (tx) => unit.work(tx, ...args))

/** The same for work that may await more than the transaction. */
export async function runWork<T extends PostgresTransaction, R>(
  client: Connection,
  tx: T,
  work: (tx: T) => Promise<R>,
): Promise<R> {
  try {
    const value = await work(tx)
    await tx.commit()
    return value
  } catch (error) {
    // A connection that cannot even roll back is not put back into the pool.
    await client.query('rollback').catch((failure: unknown) => client.cut(failure as Error))
    throw tx.failure ?? (isBehindFailed(error) ? tx.firstError : error)
  }
}

/** Whether a statement was refused because one before it had failed: in_failed_sql_transaction. */
const isBehindFailed = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '25P02'

export class PostgresTransaction implements Transaction {
  readonly dialect = 'postgres'
  /** The first error of `begin` or of a queued statement. */
  failure: Error | undefined
  /** The first error of a statement that the unit awaits. */
  firstError: unknown
  readonly #client: Connection
  #queued: (string | pg.QueryConfig)[]

  constructor(client: Connection, begin: string) {
    this.#client = client
    this.#queued = [begin]
  }

  async one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0]
  }

  async all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    return (await this.#query(toStatement(query, params))).rows as R[]
  }

  async run<P, R>(query: Prepared<P, R>, params: P): Promise<number> {
    return (await this.#query(toStatement(query, params))).rowCount ?? 0
  }

  send<P, R>(query: Prepared<P, R>, params: P): void {
    this.#queued.push(toStatement(query, params))
  }

  async only<P, R>(query: Prepared<P, R>, params: P): Promise<R> {
    const row = await this.one(query, params)
    if (row === undefined) throw new Error('A statement that must return a row returned none.')
    return row
  }

  /** Runs a statement that is built at run time. */
  protected execute(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#query(statement)
  }

  /** @throws the error of the first queued statement that failed */
  async commit(): Promise<void> {
    const { command } = await this.#query('commit')
    if (this.failure !== undefined) throw this.failure
    // PostgreSQL's answer to the commit of a transaction in which a statement has failed.
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back: the unit went on after a failed statement.')
  }

  async #query(last: string | pg.QueryConfig): Promise<pg.QueryResult> {
    this.#client.gatherStatements()
    for (const statement of this.#queued) this.#client.query(statement, this.#noteFailure)
    this.#queued = []
    // A statement that the driver could not encode has not reached PostgreSQL, which would commit the others.
    if (this.failure !== undefined) throw this.failure
    try {
      return await this.#client.query(last)
    } catch (error) {
      this.firstError ??= error
      this.#cutIfUnknown(error as Error)
      throw error
    }
  }

  readonly #noteFailure = (error: Error | null): void => {
    if (error === null) return
    this.failure ??= error
    this.#cutIfUnknown(error)
  }

  /** After an error in the driver itself, PostgreSQL and the driver may know different statements by one name. */
  #cutIfUnknown(error: Error): void {
    if (!(error instanceof pg.DatabaseError)) this.#client.cut(error)
  }
}
