/** The longest delay of setTimeout: for a longer one it fires at once. */
const timerMaxMs = 2 ** 31 - 1

/** Milliseconds until a time on the clock of `performance.now()`, within the range of setTimeout. */
export const timeLeft = (until: number): number => Math.min(Math.max(until - performance.now(), 0), timerMaxMs)

/** A counting semaphore with a limited queue, whose calls have deadlines. */
export class Slots {
  readonly #queue = new Set<() => void>()

  constructor(
    private free: number,
    private readonly queueMax: number,
  ) {}

  /** Takes a slot. @returns false if no slot was free in time, or the queue is full */
  take(until: number): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1
      return Promise.resolve(true)
    }
    if (this.#queue.size >= this.queueMax) return Promise.resolve(false)
    return new Promise((resolve) => {
      const taken = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#queue.delete(taken)
        resolve(false)
      }, timeLeft(until))
      this.#queue.add(taken)
    })
  }

  /** Returns a slot. The first call in the queue gets it. */
  release(): void {
    const [first] = this.#queue
    if (first === undefined) this.free += 1
    else {
      this.#queue.delete(first)
      first()
    }
  }
}
