import type { Statement } from 'better-sqlite3'
import { unitNamed } from '../unit.js'
import type { SqliteConnection } from './connection.js'

/** A unit of work that waits, by name, so that it can cross to the thread that writes. */
export interface Job {
  readonly id: number
  readonly unit: string
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

  constructor(private readonly connection: SqliteConnection) {
    const { handle } = connection
    this.#begin = handle.prepare('begin immediate')
    this.#commit = handle.prepare('commit')
    this.#rollback = handle.prepare('rollback')
    this.#savepoint = handle.prepare('savepoint unit')
    this.#release = handle.prepare('release unit')
    this.#undo = handle.prepare('rollback to unit')
  }

  /**
   * Runs the jobs in order and commits. A job that throws is undone alone. When the transaction itself fails (a full
   * disk, a failing one, a lock that isn't given up), every job of it fails with that error and nothing stays.
   */
  async run(jobs: readonly Job[]): Promise<Outcome[]> {
    try {
      this.#begin.run()
      const outcomes: Outcome[] = []
      for (const job of jobs) outcomes.push(await this.#runOne(job))
      this.#commit.run()
      return outcomes
    } catch (error) {
      if (this.connection.handle.inTransaction) this.#rollback.run()
      return jobs.map(({ id }) => ({ id, error }))
    }
  }

  async #runOne({ id, unit, args }: Job): Promise<Outcome> {
    this.#savepoint.run()
    try {
      const value = await unitNamed(unit).work(this.connection, ...(args as never))
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
