import type { Statement } from 'better-sqlite3'
import { findUnit, isLoaded, type UnitKey } from '../unit.js'
import type { SqliteConnection } from './connection.js'

/** A unit of work and its arguments, as they are posted to the writer thread. */
export interface Job {
  readonly id: number
  readonly unit: UnitKey
  readonly args: readonly unknown[]
}

export type Outcome = { id: number; value: unknown } | { id: number; error: unknown }

/** Commits several units of work in one transaction with one fsync. Each unit has a savepoint. */
export class GroupCommit {
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #releaseSavepoint: Statement
  readonly #rollbackToSavepoint: Statement
  readonly #rewritePage: Statement
  #hasReplayableCommit = false

  constructor(private readonly connection: SqliteConnection) {
    const { handle } = connection
    this.#begin = handle.prepare('begin immediate')
    this.#commit = handle.prepare('commit')
    this.#rollback = handle.prepare('rollback')
    this.#savepoint = handle.prepare('savepoint unit')
    this.#releaseSavepoint = handle.prepare('release unit')
    this.#rollbackToSavepoint = handle.prepare('rollback to unit')
    // Writes the first page without a change of data: svc does not read this number.
    this.#rewritePage = handle.prepare('pragma user_version = 1')
  }

  /**
   * Whether recovery after a crash could replay a failed commit. SQLite writes a transaction to the WAL file, flushes the
   * file, and only then makes the transaction visible. If the flush fails, SQLite rolls the transaction back but leaves its
   * frames in the file, which recovery would replay (sqlite.org/walformat.html, 4.4). The next commit overwrites them.
   */
  get hasReplayableCommit(): boolean {
    return this.#hasReplayableCommit
  }

  /**
   * Overwrites the frames of a failed commit in the WAL file with a commit that changes no data. It rewrites the same part
   * of the file, so its flush does not depend on pages that the system failed to write before. Even if this flush fails
   * too, a crash of this process alone can no longer replay the failed commit.
   */
  overwriteFailedCommit(): void {
    try {
      this.#begin.run()
      this.#rewritePage.run()
      this.#commitGroup()
    } catch {
      // The disk still fails: hasReplayableCommit stays true, and the caller tries again.
      this.#rollBack()
    }
  }

  /**
   * Runs the jobs in order and commits them together. A job that throws is rolled back alone. If the transaction itself
   * fails (disk full, disk error, lock timeout), all its jobs fail with that error and none is committed. A crash can
   * change that only while `hasReplayableCommit` is true.
   */
  async run(jobs: readonly Job[]): Promise<Outcome[]> {
    // Before the transaction, to keep it short.
    const loadErrors = await loadModules(jobs)
    try {
      this.#begin.run()
      const outcomes: Outcome[] = []
      for (const job of jobs) outcomes.push(loadErrors.get(job) ?? (await this.#runOne(job)))
      this.#commitGroup()
      return outcomes
    } catch (error) {
      this.#rollBack()
      if (this.#hasReplayableCommit) this.overwriteFailedCommit()
      return jobs.map(({ id }) => ({ id, error }))
    }
  }

  #commitGroup(): void {
    this.#hasReplayableCommit = true
    this.#commit.run()
    this.#hasReplayableCommit = false
  }

  #rollBack(): void {
    if (this.connection.handle.inTransaction) this.#rollback.run()
  }

  async #runOne({ id, unit, args }: Job): Promise<Outcome> {
    this.#savepoint.run()
    try {
      const value = await findUnit(unit).work(this.connection, ...(args as never))
      this.#releaseSavepoint.run()
      return { id, value }
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back the whole transaction.
      if (!this.connection.handle.inTransaction) throw error
      this.#rollbackToSavepoint.run()
      this.#releaseSavepoint.run()
      return { id, error }
    }
  }
}

/** Imports the modules of units that are not loaded yet. @returns the outcomes of jobs whose module cannot be loaded */
async function loadModules(jobs: readonly Job[]): Promise<ReadonlyMap<Job, Outcome>> {
  const failed = new Map<Job, Outcome>()
  for (const job of jobs.filter(({ unit }) => !isLoaded(unit)))
    try {
      await import(job.unit.module)
    } catch (error) {
      failed.set(job, { id: job.id, error })
    }
  return failed
}
