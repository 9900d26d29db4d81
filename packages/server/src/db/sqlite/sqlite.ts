import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Statement } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import type { WithLock } from '../keyed-mutex.js'
import { noteMove, prepareSchema } from '../migrate.js'
import type { Database } from '../port.js'
import type { Prepared } from '../prepared.js'
import type { Unit } from '../unit.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { fileLocks, jobLockName, lockDirectoryOf, sharedLockName } from './file-locks.js'
import { makeDatabasePrivate } from '../../shared/private-file.js'
import { assertUsableFile, checkDirectory, databaseFile, makeDirectory, pathError } from '../../shared/usable-path.js'
import { isFullDisk } from '../../shared/full-disk.js'
import { Wakeup } from '../../shared/wakeup.js'
import { freeReserve } from './reserve-file.js'
import { WriterThread } from './writer-thread.js'

/**
 * Opens or creates the database file, and migrates its schema to this version.
 * @param onFatal called when no write can succeed any more: the process should end
 * @param onNew see `connect`
 * @throws NewerSchema; OperatorError if the file or its directory cannot be used
 */
export async function openSqliteDatabase(
  file: string,
  onFatal?: (error: Error) => void,
  onNew: () => void = () => undefined,
): Promise<Database> {
  if (!existsSync(file)) onNew()
  try {
    return await open(file, onFatal, onNew)
  } catch (error) {
    // Without another process on the database, SQLite creates its -shm file now.
    if (!isFullDisk(error) || !freeReserve(file)) throw error
    return open(file, onFatal, onNew)
  }
}

async function open(file: string, onFatal: ((error: Error) => void) | undefined, onNew: () => void): Promise<Database> {
  await preparePlace(file)
  await prepareSchema('sqlite', new SqliteDialect({ database: openSqlite(file) }), onNew)
  return new SqliteDatabase(file, onFatal)
}

/** `setMovedTo` of a database file. */
export const setSqliteMovedTo = (file: string, url: string | null): Promise<void> =>
  noteMove('sqlite', new SqliteDialect({ database: openSqlite(file) }), url)

/** Creates the directory and the file if they are missing, and checks those that exist. @throws OperatorError */
async function preparePlace(file: string): Promise<void> {
  const directory = { ...databaseFile, name: 'The directory' }
  await makeDirectory(dirname(file), directory)
  for (const name of [file, `${file}-wal`, `${file}-shm`]) await assertUsableFile(name, databaseFile)
  const locks = lockDirectoryOf(file)
  const problem = await checkDirectory(locks)
  if (problem !== undefined) throw pathError(locks, directory, problem)
  makeDatabasePrivate(file)
}

/** How long a commit number is kept in a long turn of the event loop, which may also find requests that were sent during it. */
const commitNumberMs = 1

class SqliteDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly withLock: WithLock
  readonly withJobLock: WithLock
  readonly writes = new Wakeup()
  readonly #reads: SqliteConnection
  readonly #dataVersion: Statement
  readonly #writer: WriterThread
  /** In this turn of the event loop, until a write of this process. */
  #commitNumber: number | undefined
  /** By `performance.now`. */
  #readAt = 0
  readonly #forgetCommitNumber = () => {
    this.#commitNumber = undefined
  }

  constructor(file: string, onFatal?: (error: Error) => void) {
    this.withLock = fileLocks(file, sharedLockName)
    this.withJobLock = fileLocks(file, jobLockName)
    this.#reads = new SqliteConnection(openSqlite(file))
    this.#reads.handle.pragma('query_only = on')
    this.#dataVersion = this.#reads.handle.prepare('pragma data_version').pluck()
    this.#writer = new WriterThread(file, onFatal)
  }

  /**
   * Each read is a separate transaction, so that it sees every write that was acknowledged before it. One transaction for
   * the two or three reads of a request would save nothing: begin and commit cost as much as the locks that they save.
   */
  one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined> {
    return this.#reads.one(query, params)
  }

  all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]> {
    return this.#reads.all(query, params)
  }

  /**
   * This connection never writes, so the number changes with the commits of all others (SQLite, PRAGMA data_version). Its locks cost as
   * much as a fifth of a request. So it is read once for all requests whose bytes the event loop has found together. A request that is sent
   * after a commit was acknowledged is found later.
   */
  commitNumber(): number {
    const now = performance.now()
    if (this.#commitNumber === undefined || now - this.#readAt > commitNumberMs) {
      if (this.#commitNumber === undefined) setImmediate(this.#forgetCommitNumber)
      this.#commitNumber = this.#dataVersion.get() as number
      this.#readAt = now
    }
    return this.#commitNumber
  }

  async write<A extends readonly unknown[], R>(unit: Unit<A, R>, ...args: A): Promise<R> {
    try {
      return (await this.#writer.run(unit, args)) as R
    } finally {
      this.#forgetCommitNumber()
      this.writes.call()
    }
  }

  eraseLog(): Promise<void> {
    return this.#writer.eraseLog()
  }

  async ping(): Promise<void> {
    this.#writer.assertRunning()
    this.#reads.handle.prepare('select 1').get()
  }

  async close(): Promise<void> {
    await this.#writer.close()
    this.#reads.handle.close()
  }
}
