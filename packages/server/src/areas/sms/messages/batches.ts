import type { DeviceKey, NewMessage, Intake, BatchIntake } from './intake-store.js'

/** A message that waits for its batch. */
interface Waiting {
  readonly message: NewMessage
  readonly resolve: (intake: Intake) => void
  readonly reject: (error: unknown) => void
}

/** A batch is written as one text: this many bytes take a millisecond. */
const batchMaxBytes = 256 * 1024
const batchMaxRows = 100

/**
 * Stores messages of one key that arrive together in one unit of work: a unit costs more than a row. While a batch is stored, the
 * next one gathers; a single message does not wait.
 */
export class MessageBatches {
  readonly #queues = new Map<DeviceKey, Waiting[]>()

  constructor(private readonly write: (key: DeviceKey, messages: readonly NewMessage[]) => Promise<BatchIntake>) {}

  /** Resolves when the message is durable. */
  store(key: DeviceKey, message: NewMessage): Promise<Intake> {
    return new Promise((resolve, reject) => {
      const waiting = { message, resolve, reject }
      const queue = this.#queues.get(key)
      if (queue !== undefined) queue.push(waiting)
      else {
        this.#queues.set(key, [waiting])
        setImmediate(() => void this.#drain(key))
      }
    })
  }

  async #drain(key: DeviceKey): Promise<void> {
    const queue = this.#queues.get(key)
    while (queue !== undefined && queue.length > 0) {
      const batch = queue.splice(0, countBatch(queue))
      await this.#storeBatch(key, batch)
    }
    this.#queues.delete(key)
  }

  async #storeBatch(key: DeviceKey, batch: readonly Waiting[]): Promise<void> {
    const seen = new Set<string | null>()
    const [first, twins]: [Waiting[], Waiting[]] = [[], []]
    for (const waiting of batch) {
      const { deduplicationKey, earlierDeduplicationKey } = waiting.message
      const isTwin = seen.has(deduplicationKey) || seen.has(earlierDeduplicationKey)
      ;(isTwin ? twins : first).push(waiting)
      seen.add(deduplicationKey)
    }
    try {
      const intake = await this.write(
        key,
        first.map(({ message }) => message),
      )
      if (intake === 'changed') for (const { resolve } of batch) resolve('changed')
      else {
        first.forEach(({ resolve }, position) => {
          resolve(intake.includes(position) ? 'repeat' : 'stored')
        })
        for (const { resolve } of twins) resolve('repeat')
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** @returns how many of the first messages make a batch; at least one */
function countBatch(queue: readonly Waiting[]): number {
  let bytes = 0
  const tooLong = queue.findIndex(({ message }, i) => i === batchMaxRows || (bytes += message.size) > batchMaxBytes)
  return tooLong === -1 ? queue.length : Math.max(tooLong, 1)
}
