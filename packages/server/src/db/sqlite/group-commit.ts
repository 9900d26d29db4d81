import type { Statement } from 'better-sqlite3'
import { findUnit, loadUnit, type UnitKey } from '../unit.js'
import type { SqliteConnection } from './connection.js'

/** A queued unit of work, in the form in which it crosses to the writer thread. */
export interface Job {
  readonly id: number
  readonly unit: UnitKey
  readonly args: readonly unknown[]
}

export type Outcome = { id: number; value: unknown } | { id: number; error: unknown }

/** Commits units of work together: one transaction, one fsync, a savepoint each. */
export class GroupCommit {
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #release: Statement
  readonly #undo: Statement
  readonly #touch: Statement
  #mayComeBack = false

  constructor(private readonly connection: SqliteConnection) {
    const { handle } = connection
    this.#begin = handle.prepare('begin immediate')
    this.#commit = handle.prepare('commit')
    this.#rollback = handle.prepare('rollback')
    this.#savepoint = handle.prepare('savepoint unit')
    this.#release = handle.prepare('release unit')
    this.#undo = handle.prepare('rollback to unit')
    // Writes the first page without a change of data: svc does not read this number.
    this.#touch = handle.prepare('pragma user_version = 1')
  }

  /**
   * Whether a commit that failed may come back. SQLite writes a transaction to the WAL file, flushes the file, and only
   * then shows the transaction to anyone. When the flush fails, the transaction is undone, but it stays in the file, and
   * recovery after a crash would replay it (sqlite.org/walformat.html, 4.4). The next commit overwrites it.
   */
  get mayComeBack(): boolean {
    return this.#mayComeBack
  }

  /**
   * Overwrites the frames of a failed commit in the WAL file, by a commit without changes. It writes the same bytes
   * of the file anew, so its flush does not rely on what the system did with pages that it once failed to write. Even
   * where the flush fails again, a crash of this process alone no longer brings the failed commit back.
   */
  overwriteFailedCommit(): void {
    try {
      this.#begin.run()
      this.#touch.run()
      this.#commitGroup()
    } catch {
      // The disk still fails: mayComeBack stays true, and the caller tries again.
      this.#rollBack()
    }
  }

  /**
   * Runs the jobs in order and commits. A job that throws is undone alone. When the transaction itself fails (a full
   * disk, a failing one, a lock that isn't given up), every job of it fails with that error and nothing stays: see
   * `mayComeBack` for what a crash may change about that.
   */
  async run(jobs: readonly Job[]): Promise<Outcome[]> {
    // Before the transaction begins. A module that cannot be loaded fails only its own jobs, in #runOne.
    await Promise.allSettled(jobs.map(({ unit }) => loadUnit(unit)))
    try {
      this.#begin.run()
      const outcomes: Outcome[] = []
      for (const job of jobs) outcomes.push(await this.#runOne(job))
      this.#commitGroup()
      return outcomes
    } catch (error) {
      this.#rollBack()
      if (this.#mayComeBack) this.overwriteFailedCommit()
      return jobs.map(({ id }) => ({ id, error }))
    }
  }

  #commitGroup(): void {
    this.#mayComeBack = true
    this.#commit.run()
    this.#mayComeBack = false
  }

  #rollBack(): void {
    if (this.connection.handle.inTransaction) this.#rollback.run()
  }

  async #runOne({ id, unit, args }: Job): Promise<Outcome> {
    this.#savepoint.run()
    try {
      const value = await findUnit(unit).work(this.connection, ...(args as never))
      this.#release.run()
      return { id, value }
    } catch (error) {
      // SQLite rolls the whole transaction back by itself where going on is pointless, on a full disk for one.
      if (!this.connection.handle.inTransaction) throw error
      this.#undo.run()
      this.#release.run()
      return { id, error }
    }
  }
}
