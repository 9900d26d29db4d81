import type { Wakeup } from './wakeup.js'

/**
 * Periodic work of an area. The process runs a job for the first time `everyMs` after the start. The database remembers the last run of a
 * job for one process that runs once a minute or less often: it runs soon after a start if that time has passed already.
 */
export interface Job {
  /** Unique among all areas: `<area>.<work>`. Label of the metric and, for `one process`, key of the database lock. */
  readonly name: string
  readonly everyMs: number
  /**
   * Which of the processes on one database run the job: each of them, or one at a time under a database lock. A process that
   * does not get the lock skips this run. Under the lock, the job must not take another lock of the database.
   */
  readonly runsIn: 'every process' | 'one process'
  /** A call starts a run at once, or right after the one that is under way. After failures, the job keeps its longer interval. */
  readonly wakeup?: Wakeup
  /** The log line of a failed run. */
  readonly failureMessage: string
  /**
   * Does the work once; runs of one process never overlap.
   * @param signal is aborted when the server stops. The server waits for the run to end, so long work should look at it.
   */
  readonly run: (signal: AbortSignal) => Promise<void>
}
