import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SqliteDialect } from 'kysely'
import { inTurns } from '../in-turns.js'
import { migrate } from '../migrate.js'
import type { Database } from '../port.js'
import type { Prepared } from '../prepared.js'
import type { Unit } from '../unit.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { WriterThread } from './writer-thread.js'

/** Opens (and where needed makes) the database file and brings it up to date. */
export async function openSqliteDatabase(file: string): Promise<Database> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await migrate('sqlite', new SqliteDialect({ database: openSqlite(file) }))
  return new SqliteDatabase(file)
}

class SqliteDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly exclusively = inTurns()
  readonly #reads: SqliteConnection
  readonly #writer: WriterThread

  constructor(file: string) {
    this.#reads = new SqliteConnection(openSqlite(file))
    this.#reads.handle.pragma('query_only = on')
    this.#writer = new WriterThread(file, () => {
      this.#endSnapshot()
    })
  }

  one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    this.#snapshot()
    return this.#reads.one(query, params)
  }

  all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    this.#snapshot()
    return this.#reads.all(query, params)
  }

  async write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R> {
    return (await this.#writer.run(unit.name, args)) as R
  }

  async ping(): Promise<void> {
    this.#reads.handle.prepare('select 1').get()
  }

  async close(): Promise<void> {
    await this.#writer.close()
    this.#endSnapshot()
    this.#reads.handle.close()
  }

  /**
   * Reads of one turn of the event loop share one read transaction: its locks are taken once, for all requests of the
   * turn. It ends with the turn, and before a write is acknowledged, so no reader misses what it was told is there.
   */
  #snapshot(): void {
    if (this.#reads.handle.inTransaction) return
    this.#reads.handle.exec('begin')
    setImmediate(() => {
      this.#endSnapshot()
    })
  }

  #endSnapshot(): void {
    if (this.#reads.handle.open && this.#reads.handle.inTransaction) this.#reads.handle.exec('commit')
  }
}
