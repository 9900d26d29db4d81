import BetterSqlite, { type Database as Handle, type Statement } from 'better-sqlite3'
import type { Transaction } from '../port.js'
import type { Compiled, Prepared } from '../prepared.js'

/** How long a statement waits for another process's lock. */
const busyTimeoutMs = 10_000

/**
 * What every connection is set to, and what it must read back as: better-sqlite3 is built to fall to NORMAL in WAL mode,
 * where a power cut takes back commits that were acknowledged.
 */
const pragmas: readonly (readonly [name: string, set: string, readsBack: unknown])[] = [
  ['busy_timeout', String(busyTimeoutMs), busyTimeoutMs],
  ['journal_mode', 'wal', 'wal'],
  ['synchronous', 'full', 2],
  ['foreign_keys', 'on', 1],
]

/** Opens the database file with the promises of the port set and checked. @throws when one cannot be kept */
export function openSqlite(file: string): Handle {
  const handle = new BetterSqlite(file)
  for (const [name, set, readsBack] of pragmas) {
    handle.pragma(`${name} = ${set}`)
    const value = handle.pragma(name, { simple: true })
    if (value !== readsBack)
      throw new Error(`SQLite keeps ${name} at ${String(value)} where ${set} is needed (${file}).`)
  }
  return handle
}

interface Ready {
  statement: Statement
  compiled: Compiled<unknown>
}

/** One connection with its statements, each prepared at first use and kept. Calls answer at once; the promises only fit the port. */
export class SqliteConnection implements Transaction {
  readonly #ready = new Map<unknown, Ready>()

  constructor(readonly handle: Handle) {}

  async one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    const { statement, compiled } = this.#prepare(query)
    return statement.get(compiled.bind(params)) as R | undefined
  }

  async all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    const { statement, compiled } = this.#prepare(query)
    return statement.all(compiled.bind(params)) as R[]
  }

  async run<P, R>(query: Prepared<P, R>, params: P): Promise<number> {
    const { statement, compiled } = this.#prepare(query)
    return statement.run(compiled.bind(params)).changes
  }

  async only<P, R>(query: Prepared<P, R>, params: P): Promise<R> {
    const row = await this.one(query, params)
    if (row === undefined) throw new Error('A statement that must give back a row gave none.')
    return row
  }

  #prepare<P, R>(query: Prepared<P, R>): Ready {
    let ready = this.#ready.get(query)
    if (ready === undefined) {
      const compiled = query.for('sqlite')
      ready = { statement: this.handle.prepare(compiled.sql), compiled: compiled as Compiled<unknown> }
      this.#ready.set(query, ready)
    }
    return ready
  }
}
