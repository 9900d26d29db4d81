import { KeyedSlots } from '../shared/slots.js'

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

/** Calls that wait for one key. The limit keeps the queue of a lock that is never released from filling the memory. */
const waitingMax = 999

/** A mutex for each key, within this process. */
export function keyedMutex(): WithLock {
  const slots = new KeyedSlots<string>({
    each: { running: 1, waiting: waitingMax },
    busy: (key, waitedMs) => new LockTimeout(key, waitedMs),
  })
  return (key, work, waitMs = Infinity) => slots.run(key, performance.now() + waitMs, work)
}
