/**
 * Runs work under the lock of a key: one call at a time for each key, in the order of the calls. Work must not lock
 * a second key: two keys may share a lock file (sqlite/file-locks.ts), and the call would wait for itself.
 * @param waitMs the longest wait for the lock, in milliseconds; unlimited if missing
 * @throws LockTimeout when the lock was not free in time, or too many calls wait for it: the work has not begun
 */
export type WithLock = <R>(key: string, work: () => Promise<R>, waitMs?: number) => Promise<R>

/** A lock was not free in time. With a `cause`, the database had no connection for it: the lock itself may be free. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout'

  constructor(key: string, waitMs: number, options?: ErrorOptions) {
    super(`The lock ${key} was not free within ${waitMs} ms.`, options)
  }
}

/** Calls that run or wait for one key. The limit keeps the queue of a lock that is never released from filling the memory. */
const callsMax = 1_000

interface Queue {
  last: Promise<unknown>
  calls: number
}

/** A mutex for each key, within this process. */
export function keyedMutex(): WithLock {
  const queues = new Map<string, Queue>()
  return async (key, work, waitMs) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), calls: 0 }
    if (queue.calls >= callsMax) throw new LockTimeout(key, 0)
    const waiting = new Waiting(key, waitMs)
    const begin = () => (waiting.begin() ? work() : undefined)
    // A call begins whether or not the one before it succeeded.
    const mine = queue.last.then(begin, begin)
    queue.last = mine
    queue.calls += 1
    queues.set(key, queue)
    const ended = () => {
      queue.calls -= 1
      if (queue.calls === 0) queues.delete(key)
    }
    mine.then(ended, ended)
    return waiting.until(mine as Promise<never>)
  }
}

/** One call in the queue: it either begins or times out, never both. */
class Waiting {
  #state: 'queued' | 'begun' | 'late' = 'queued'
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly key: string,
    private readonly waitMs: number | undefined,
  ) {}

  /** @returns whether the work may begin */
  begin(): boolean {
    clearTimeout(this.#timer)
    if (this.#state === 'late') return false
    this.#state = 'begun'
    return true
  }

  until<R>(outcome: Promise<R>): Promise<R> {
    const { key, waitMs } = this
    if (waitMs === undefined) return outcome
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => {
        if (this.#state !== 'queued') return
        this.#state = 'late'
        reject(new LockTimeout(key, waitMs))
      }, waitMs)
      outcome.then(resolve, reject)
    })
  }
}
