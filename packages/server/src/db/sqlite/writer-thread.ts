import { Worker } from 'node:worker_threads'
import { decodeError, type CrossingError } from './crossing-error.js'
import type { UnitKey } from '../unit.js'
import type { Job } from './group-commit.js'

export type Crossed = { id: number; value: unknown } | { id: number; error: CrossingError }

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The writer as compiled, or through a loader where the sources run as they are (in tests). */
const entry = new URL(import.meta.url.endsWith('.ts') ? './writer-from-source.mjs' : './writer.js', import.meta.url)

/** What it makes is small and short-lived; by default the thread would take ten megabytes more for it. */
const maxYoungGenerationSizeMb = 2

/** The thread with the one connection that writes, so that an fsync never holds up those who read. */
export class WriterThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<void>
  #lastId = 0
  #isClosing = false
  #failure: Error | undefined

  /** @param onFatal called when the thread ends without `close`: no write can succeed from then on */
  constructor(file: string, onFatal?: (error: Error) => void) {
    this.#worker = new Worker(entry, { workerData: { file }, resourceLimits: { maxYoungGenerationSizeMb } })
    this.#worker.on('message', (crossed: Crossed[]) => {
      for (const outcome of crossed) this.#settle(outcome)
    })
    let cause: unknown
    this.#worker.on('error', (error) => {
      cause = error
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        const ended = this.#isClosing
          ? new Error('The database is closed.')
          : new Error(`The thread that writes to the database ended with exit code ${code}.`, { cause })
        this.#failure = ended
        for (const { reject } of this.#waiting.values()) reject(ended)
        this.#waiting.clear()
        resolve()
        if (!this.#isClosing) onFatal?.(ended)
      })
    })
  }

  /** @throws what ended the thread */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  async run({ module, name }: UnitKey, args: readonly unknown[]): Promise<unknown> {
    this.check()
    const job: Job = { id: ++this.#lastId, unit: { module, name }, args }
    return new Promise((resolve, reject) => {
      // First: it throws for arguments that cannot be cloned.
      this.#worker.postMessage(job)
      this.#waiting.set(job.id, { resolve, reject })
    })
  }

  /** Lets what waits be committed, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#worker.postMessage('close')
    await this.#exited
  }

  #settle(outcome: Crossed): void {
    const waiting = this.#waiting.get(outcome.id)
    this.#waiting.delete(outcome.id)
    if ('value' in outcome) waiting?.resolve(outcome.value)
    else waiting?.reject(decodeError(outcome.error))
  }
}
