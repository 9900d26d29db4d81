import { Worker } from 'node:worker_threads'
import { ApiError, type ErrorCode, type ErrorExtra } from '@svc/contract/errors'
import type { Job } from './group-commit.js'

/** How errors cross from the thread that writes: a structured clone would forget that it was an ApiError. */
export type CrossedError =
  | { api: { code: ErrorCode; message: string; extra: ErrorExtra; headers: Readonly<Record<string, string>> } }
  | { other: unknown }

export type Crossed = { id: number; value: unknown } | { id: number; error: CrossedError }

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
  #failure: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(entry, { workerData: { file }, resourceLimits: { maxYoungGenerationSizeMb } })
    this.#worker.on('message', (crossed: Crossed[]) => {
      for (const outcome of crossed) this.#settle(outcome)
    })
    this.#worker.on('error', (error) => {
      this.#failure = error
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#failure ??= new Error('The database is closed.')
        for (const { reject } of this.#waiting.values()) reject(this.#failure)
        this.#waiting.clear()
        resolve()
      })
    })
  }

  /** @throws what ended the thread */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  async run(unit: string, args: readonly unknown[]): Promise<unknown> {
    this.check()
    const job: Job = { id: ++this.#lastId, unit, args }
    return new Promise((resolve, reject) => {
      this.#waiting.set(job.id, { resolve, reject })
      this.#worker.postMessage(job)
    })
  }

  /** Lets what waits be committed, then ends the thread. */
  async close(): Promise<void> {
    this.#worker.postMessage('close')
    await this.#exited
  }

  #settle(outcome: Crossed): void {
    const waiting = this.#waiting.get(outcome.id)
    this.#waiting.delete(outcome.id)
    if ('value' in outcome) waiting?.resolve(outcome.value)
    else waiting?.reject(revive(outcome.error))
  }
}

function revive(error: CrossedError): unknown {
  if ('other' in error) return error.other
  const { code, message, extra, headers } = error.api
  return new ApiError(code, message, extra, headers)
}
