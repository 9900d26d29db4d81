import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { unitModules, type UnitKey } from '../unit.js'
import type { Job } from './group-commit.js'
import { deserializeError, type SerializedError } from './serialized-error.js'

/** The outcome of a job, as the writer thread posts it. */
export type SerializedOutcome = { id: number; value: unknown } | { id: number; error: SerializedError }

/** Queued jobs, or another order to the thread. Its outcome has the id of the order. */
export type Message = readonly Job[] | { readonly eraseLog: number } | 'close'

/** The start parameters of the thread. */
export interface WriterData {
  readonly file: string
  /**
   * The modules with units that are loaded so far. The thread loads them at its start: during an upgrade in place, a later import
   * would find the files of the next version.
   */
  readonly modules: readonly string[]
}

/** Settles the promise of a job. */
interface PendingJob {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The compiled writer. Tests run the TypeScript sources, where a loader starts it. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './writer-from-source.cjs' : './writer.js', import.meta.url)

/** The thread's objects are small and short-lived. V8's default would reserve ten megabytes more for them. */
const maxYoungGenerationSizeMb = 2

/** Runs the worker thread that owns the only connection that writes, so that an fsync never blocks the event loop. */
export class WriterThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingJob>()
  readonly #exited: Promise<void>
  /** Jobs of this turn of the event loop. */
  #unsent: Job[] = []
  #lastId = 0
  #isClosing = false
  #failure: Error | undefined

  /** @param onFatal called when the thread ends without `close`: no write can succeed from then on */
  constructor(file: string, onFatal?: (error: Error) => void) {
    const workerData: WriterData = { file, modules: unitModules() }
    // Otherwise the flag of the command `svc`, which has taken effect in the main thread, counts instead of the limit below.
    setFlagsFromString('--max-semi-space-size=0')
    this.#worker = new Worker(entry, { workerData, resourceLimits: { maxYoungGenerationSizeMb } })
    this.#worker.on('message', (outcomes: SerializedOutcome[]) => {
      for (const outcome of outcomes) this.#settle(outcome)
    })
    let cause: unknown
    this.#worker.on('error', (error) => {
      cause = error
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        const failure = this.#isClosing
          ? new Error('The database is closed.')
          : new Error(`The thread that writes to the database ended with exit code ${code}.`, { cause })
        this.#failure = failure
        for (const { reject } of this.#pending.values()) reject(failure)
        this.#pending.clear()
        resolve()
        if (!this.#isClosing) onFatal?.(failure)
      })
    })
  }

  /** @throws Error with the reason why the thread ended */
  assertRunning(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Runs a unit in the writer thread. @returns the result of the unit, once it is durable @throws the error of the unit */
  async run({ module, name }: UnitKey, args: readonly unknown[]): Promise<unknown> {
    this.assertRunning()
    const job: Job = { id: ++this.#lastId, unit: { module, name }, args }
    return new Promise((resolve, reject) => {
      this.#pending.set(job.id, { resolve, reject })
      this.#unsent.push(job)
      // One message for all jobs of a turn: a message costs as much as a tenth of an upload.
      if (this.#unsent.length === 1)
        setImmediate(() => {
          this.#send()
        })
    })
  }

  /** Moves all commits from the WAL file to the database file, and empties it. @throws Error if another process still reads it */
  async eraseLog(): Promise<void> {
    this.assertRunning()
    const id = ++this.#lastId
    await new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#post({ eraseLog: id })
    })
  }

  /** Commits the queued jobs, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#send()
    this.#post('close')
    await this.#exited
  }

  #send(): void {
    const jobs = this.#unsent
    this.#unsent = []
    try {
      if (jobs.length > 0) this.#post(jobs)
    } catch {
      for (const job of jobs) this.#sendAlone(job)
    }
  }

  /** Sends a job that may be the one whose arguments cannot be cloned. */
  #sendAlone(job: Job): void {
    try {
      this.#post([job])
    } catch (error) {
      this.#take(job)?.reject(error)
    }
  }

  #post(message: Message): void {
    this.#worker.postMessage(message)
  }

  #settle(outcome: SerializedOutcome): void {
    const job = this.#take(outcome)
    if ('value' in outcome) job?.resolve(outcome.value)
    else job?.reject(deserializeError(outcome.error))
  }

  #take({ id }: { readonly id: number }): PendingJob | undefined {
    const job = this.#pending.get(id)
    this.#pending.delete(id)
    return job
  }
}
