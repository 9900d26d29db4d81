import type { Logger } from 'pino'
import type { JobRuns } from '../db/job-run-store.js'
import { LockTimeout, type WithLock } from '../db/keyed-mutex.js'
import type { Job } from '../shared/job.js'

/** How long a process waits for the lock of a job before it leaves this run to the process that holds it. */
const lockWaitMs = 1_000

/** After failures a job waits longer, up to this time. A job that runs less often keeps its interval. */
const longestBackoffMs = 5_000

/** A job that runs less often remembers its last run in the database: processes may restart more often than that. */
const rememberedFromMs = 60_000

/** The first run after a start, of a job whose interval has passed: requests come first. */
const overdueMs = 30_000

interface Options {
  readonly withLock: WithLock
  readonly runs: JobRuns
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
  readonly #isRemembered: boolean
  #timer: NodeJS.Timeout | undefined
  #run: Promise<void> | undefined
  #failures = 0
  #isSkipped = false
  #isRunning = false
  #isWoken = false
  readonly #endWakeups: (() => void) | undefined

  constructor(
    private readonly job: Job,
    private readonly options: Options,
  ) {
    this.#isRemembered = job.runsIn === 'one process' && job.everyMs >= rememberedFromMs
    this.#schedule(this.#isRemembered ? Math.min(job.everyMs, overdueMs) : job.everyMs)
    this.#endWakeups = job.wakeup?.listen(() => {
      this.#wake()
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#endWakeups?.()
    clearTimeout(this.#timer)
    await this.#run
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#run = this.#runOnce()
    }, delayMs).unref()
  }

  #wake(): void {
    if (this.#failures > 0) return
    if (this.#isRunning) {
      this.#isWoken = true
      return
    }
    clearTimeout(this.#timer)
    this.#schedule(0)
  }

  async #runOnce(): Promise<void> {
    const startedAt = performance.now()
    let waitMs = 0
    this.#isRunning = true
    this.#isWoken = false
    try {
      waitMs = await this.#work()
      this.#failures = 0
    } catch (error) {
      this.#failed(error)
    }
    this.#isRunning = false
    if (this.#stopping.signal.aborted) return
    if (this.#mustRunAgain()) {
      this.#schedule(0)
      return
    }
    const intervalMs = this.#intervalMs()
    this.#schedule(waitMs > 0 ? waitMs : intervalMs - ((performance.now() - startedAt) % intervalMs))
  }

  /** Whether it was woken during its run. */
  #mustRunAgain(): boolean {
    return this.#isWoken && this.#failures === 0
  }

  /** @returns how long to wait for the next run, in milliseconds; 0 for the interval of the job */
  async #work(): Promise<number> {
    const { job, options } = this
    if (job.runsIn === 'every process') return this.#runNow()
    try {
      return await options.withLock(job.name, () => this.#runIfDue(), lockWaitMs)
    } catch (error) {
      // Without a cause, another process runs the job.
      if (!(error instanceof LockTimeout)) throw error
      if (error.cause !== undefined) this.#skipped(error)
      return 0
    }
  }

  /** Under the lock: another process may just have run the job. */
  async #runIfDue(): Promise<number> {
    if (!this.#isRemembered) return this.#runNow()
    const { job, options } = this
    const last = (await options.runs.all()).get(job.name) ?? 0
    const sinceMs = Date.now() - last
    // A clock that was set back must not stop the job.
    if (sinceMs >= 0 && sinceMs < job.everyMs) return job.everyMs - sinceMs
    await this.#runNow()
    if (!this.#stopping.signal.aborted) await options.runs.note(job.name, Date.now())
    return job.everyMs
  }

  async #runNow(): Promise<number> {
    this.#isSkipped = false
    await this.job.run(this.#stopping.signal)
    return 0
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
