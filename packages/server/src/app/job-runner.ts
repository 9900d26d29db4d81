import type { Logger } from 'pino'
import { LockTimeout, type WithLock } from '../db/keyed-mutex.js'
import type { Job } from '../shared/job.js'

/** How long a process waits for the lock of a job before it leaves this run to the process that holds it. */
const lockWaitMs = 1_000

/** After failures a job waits longer, up to this time. A job that runs less often keeps its interval. */
const longestBackoffMs = 5_000

interface Options {
  readonly withLock: WithLock
  readonly log: Logger
  /** Called for each failed run, with the name of the job. */
  readonly onFailure: (job: string) => void
}

/** Starts jobs. @returns a function that stops them and resolves when the last run has ended */
export function startJobs(jobs: readonly Job[], options: Options): () => Promise<void> {
  const running = jobs.map((job) => new RunningJob(job, options))
  return async () => {
    await Promise.all(running.map((job) => job.stop()))
  }
}

/** One job on its interval. If a run takes longer than the interval, the job skips the runs that it has missed. */
class RunningJob {
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #run: Promise<void> | undefined
  #failures = 0
  #isSkipped = false

  constructor(
    private readonly job: Job,
    private readonly options: Options,
  ) {
    this.#schedule(job.everyMs)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#run
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#run = this.#runOnce()
    }, delayMs).unref()
  }

  async #runOnce(): Promise<void> {
    const startedAt = performance.now()
    try {
      await this.#work()
      this.#failures = 0
    } catch (error) {
      this.#failed(error)
    }
    if (this.#stopping.signal.aborted) return
    const intervalMs = this.#intervalMs()
    this.#schedule(intervalMs - ((performance.now() - startedAt) % intervalMs))
  }

  async #work(): Promise<void> {
    const { job, options } = this
    const run = () => {
      this.#isSkipped = false
      return job.run(this.#stopping.signal)
    }
    if (job.runsIn === 'every process') return run()
    try {
      await options.withLock(job.name, run, lockWaitMs)
    } catch (error) {
      // Without a cause, another process runs the job.
      if (!(error instanceof LockTimeout)) throw error
      if (error.cause !== undefined) this.#skipped(error)
    }
  }

  /** Logs the first of several skipped runs. */
  #skipped(error: LockTimeout): void {
    const { job, options } = this
    if (!this.#isSkipped)
      options.log.warn({ err: error, job: job.name }, 'a job is skipped: no connection for its lock is free')
    this.#isSkipped = true
  }

  /** Logs the first of several failures: a database that cannot be reached for an hour must not fill the log. */
  #failed(error: unknown): void {
    const { job, options } = this
    this.#failures++
    options.onFailure(job.name)
    if (this.#failures === 1) options.log.error({ err: error }, job.failureMessage)
  }

  #intervalMs(): number {
    const { everyMs } = this.job
    return Math.max(everyMs, Math.min(everyMs * 2 ** this.#failures, longestBackoffMs))
  }
}
