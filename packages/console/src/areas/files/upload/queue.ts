import type { StoredFile, Surroundings, UploadCalls } from './calls.js'
import { Transfer, type TransferState } from './transfer.js'

/** Files that are sent at the same time; the others wait. */
const filesAtOnce = 2

/** Progress is shown at most this often, in milliseconds. More would keep the page busy while it sends many small files. */
const progressMs = 200

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

/** Whether the upload is lost when the tab is closed or reloaded. A failed one has told the user so. */
export const isUnfinished = (upload: Upload): boolean => isActive(upload) || upload.phase === 'paused'

/** Sends files one after the other. It is outside of any page, so that it goes on when the user opens another one. */
export class UploadQueue {
  #entries: readonly Entry[] = []
  #view: readonly Upload[] = []
  #isViewOld = false
  #timer: ReturnType<typeof setTimeout> | undefined
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

  /** The uploads in their order. The list, and each upload in it, is the same value until something changes. */
  readonly uploads = (): readonly Upload[] => {
    if (this.#isViewOld) {
      const before = new Map(this.#view.map((upload) => [upload.id, upload]))
      this.#view = this.#entries.map((entry) => unlessEqual(before.get(entry.id), viewOf(entry)))
      this.#isViewOld = false
    }
    return this.#view
  }

  add(files: readonly File[]): void {
    const onChange = () => this.#progressed()
    const added = files.map((file): Entry => {
      const transfer = new Transfer(file, { ...this.options, onChange })
      return {
        id: ++this.#lastId,
        transfer,
        phase: 'waiting',
        abort: new AbortController(),
        ended: Promise.resolve(),
        error: undefined,
        stored: undefined,
      }
    })
    this.#entries = [...this.#entries, ...added]
    this.#startNext()
    this.#changed()
  }

  /** Stops sending. The parts that have arrived stay at the server for a day. */
  pause(id: number): void {
    this.#stop([id], 'paused')
  }

  /** Goes on after a pause or a failure, with the parts that are missing. */
  resume(id: number): void {
    this.#resume(this.#entries.filter((entry) => entry.id === id && ['paused', 'failed'].includes(entry.phase)))
  }

  /** Stops sending, removes the file from the queue, and its parts from the server. */
  cancel(id: number): void {
    const canceled = this.#entries.find((entry) => entry.id === id)
    this.#stop([id], 'failed')
    // A running part would arrive after the discard, or open the upload.
    void canceled?.ended.then(() => canceled.transfer.discard())
    this.#entries = this.#entries.filter((entry) => entry.id !== id)
    this.#changed()
  }

  pauseAll(): void {
    const active = this.uploads().filter(isActive)
    this.#stop(
      active.map(({ id }) => id),
      'paused',
    )
  }

  resumeAll(): void {
    this.#resume(this.#entries.filter(({ phase }) => phase === 'paused'))
  }

  /** Removes the uploads that are done from the list. */
  clearDone(): void {
    this.#entries = this.#entries.filter(({ phase }) => phase !== 'done')
    this.#changed()
  }

  #resume(entries: readonly Entry[]): void {
    for (const entry of entries) {
      entry.abort = new AbortController()
      entry.phase = 'waiting'
      entry.error = undefined
    }
    this.#startNext()
    this.#changed()
  }

  #stop(ids: readonly number[], phase: 'paused' | 'failed'): void {
    const wanted = new Set(ids)
    for (const entry of this.#entries) {
      if (!wanted.has(entry.id) || entry.phase === 'done') continue
      entry.phase = phase
      entry.abort.abort()
    }
    this.#startNext()
    this.#changed()
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
    this.#progressed()
  }

  /** An upload has moved on by itself: the page hears of it soon, with what moves on until then. */
  #progressed(): void {
    this.#isViewOld = true
    this.#timer ??= setTimeout(() => this.#changed(), progressMs)
  }

  /** The user has changed the queue: the page shows it at once. */
  #changed(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isViewOld = true
    for (const listener of this.#listeners) listener()
  }
}

/** @returns the old view if the new one equals it, so that its row is not rendered again */
function unlessEqual(before: Upload | undefined, now: Upload): Upload {
  const keys = Object.keys(now) as (keyof Upload)[]
  return before !== undefined && keys.every((key) => before[key] === now[key]) ? before : now
}

const viewOf = ({ id, transfer, phase, error, stored }: Entry): Upload => ({
  id,
  error,
  stored,
  name: transfer.file.name,
  size: transfer.file.size,
  phase: phase === 'running' ? transfer.state : phase,
  sentBytes: phase === 'done' ? transfer.file.size : transfer.sentBytes,
  bytesPerSecond: phase === 'running' ? transfer.bytesPerSecond : undefined,
})
