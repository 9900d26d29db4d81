import type { StoredFile, Surroundings, UploadCalls } from './calls.js'
import { Transfer, type TransferState } from './transfer.js'

/** Files that are sent at the same time; the others wait. */
const filesAtOnce = 2

export type Phase = 'waiting' | TransferState | 'paused' | 'failed' | 'done'

/** A file of the queue, as the page shows it. */
export interface Upload {
  readonly id: number
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly phase: Phase
  readonly sentBytes: number
  /** Undefined if not known. */
  readonly bytesPerSecond: number | undefined
  /** Of a failed upload. */
  readonly error: unknown
  /** Of a finished upload. */
  readonly stored: StoredFile | undefined
}

interface Entry {
  readonly id: number
  readonly transfer: Transfer
  phase: 'waiting' | 'running' | 'paused' | 'failed' | 'done'
  abort: AbortController
  /** Its last run. The next one waits for it, because both would change the same transfer. */
  ended: Promise<void>
  error: unknown
  stored: StoredFile | undefined
}

interface Options {
  readonly calls: UploadCalls
  readonly surroundings: Surroundings
  readonly onStored: (file: StoredFile) => void
}

const activePhases: ReadonlySet<Phase> = new Set<Phase>(['waiting', 'sending', 'finishing', 'offline'])

/** Whether an upload goes on without the user, at once or when the network is back. */
export const isActive = ({ phase }: Upload): boolean => activePhases.has(phase)

/** Sends files one after the other. It is outside of any page, so that it goes on when the user opens another one. */
export class UploadQueue {
  #entries: readonly Entry[] = []
  #view: readonly Upload[] = []
  #lastId = 0
  readonly #listeners = new Set<() => void>()

  constructor(private readonly options: Options) {}

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** The uploads in their order. The value is the same until something changes. */
  readonly uploads = (): readonly Upload[] => this.#view

  add(files: readonly File[]): void {
    const onChange = () => this.#changed()
    const added = files.map((file): Entry => {
      const transfer = new Transfer(file, { ...this.options, onChange })
      return {
        ...{ id: ++this.#lastId, transfer, phase: 'waiting' },
        ...{ abort: new AbortController(), ended: Promise.resolve(), error: undefined, stored: undefined },
      }
    })
    this.#entries = [...this.#entries, ...added]
    this.#startNext()
  }

  /** Stops sending. The parts that have arrived stay at the server for a day. */
  pause(id: number): void {
    this.#stop(id, 'paused')
  }

  /** Goes on after a pause or a failure, with the parts that are missing. */
  resume(id: number): void {
    const entry = this.#find(id)
    if (entry?.phase !== 'paused' && entry?.phase !== 'failed') return
    entry.abort = new AbortController()
    entry.phase = 'waiting'
    entry.error = undefined
    this.#startNext()
  }

  /** Stops sending, and removes the file from the queue. */
  cancel(id: number): void {
    this.#stop(id, 'failed')
    this.#entries = this.#entries.filter((entry) => entry.id !== id)
    this.#changed()
  }

  pauseAll(): void {
    for (const upload of this.#view.filter(isActive)) this.pause(upload.id)
  }

  resumeAll(): void {
    for (const { id } of this.#view.filter(({ phase }) => phase === 'paused')) this.resume(id)
  }

  /** Removes the uploads that are done from the list. */
  clearDone(): void {
    this.#entries = this.#entries.filter(({ phase }) => phase !== 'done')
    this.#changed()
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id)
  }

  #stop(id: number, phase: 'paused' | 'failed'): void {
    const entry = this.#find(id)
    if (entry === undefined || entry.phase === 'done') return
    entry.phase = phase
    entry.abort.abort()
    this.#startNext()
  }

  #startNext(): void {
    let free = filesAtOnce - this.#entries.filter(({ phase }) => phase === 'running').length
    for (const entry of this.#entries) {
      if (free <= 0) break
      if (entry.phase !== 'waiting') continue
      free--
      entry.phase = 'running'
      const { signal } = entry.abort
      entry.ended = entry.ended.then(() => this.#run(entry, signal))
    }
    this.#changed()
  }

  async #run(entry: Entry, signal: AbortSignal): Promise<void> {
    // The run before has stored the file after it was paused.
    if (entry.phase === 'done') return
    try {
      const stored = await entry.transfer.send(signal)
      // Also if it arrived while it was being paused.
      entry.phase = 'done'
      entry.stored = stored
      this.options.onStored(stored)
    } catch (error) {
      // Paused or canceled: the phase is set already.
      if (!signal.aborted) {
        entry.phase = 'failed'
        entry.error = error
      }
    }
    this.#startNext()
  }

  #changed(): void {
    this.#view = this.#entries.map(viewOf)
    for (const listener of this.#listeners) listener()
  }
}

const viewOf = ({ id, transfer, phase, error, stored }: Entry): Upload => ({
  ...{ id, error, stored },
  name: transfer.file.name,
  size: transfer.file.size,
  phase: phase === 'running' ? transfer.state : phase,
  sentBytes: phase === 'done' ? transfer.file.size : transfer.sentBytes,
  bytesPerSecond: phase === 'running' ? transfer.bytesPerSecond : undefined,
})
