/** setTimeout fires at once for more than this. */
const timerMaxMs = 2 ** 31 - 1

/** Milliseconds until a time on the clock of `performance.now()`, as setTimeout takes them. */
export const timeLeft = (until: number): number => Math.min(Math.max(until - performance.now(), 0), timerMaxMs)

/** A semaphore whose queue is bounded in length and time. */
export class Slots {
  readonly #queue = new Set<() => void>()

  constructor(
    private free: number,
    private readonly queueMax: number,
  ) {}

  /** @returns false if no slot was free in time, or the queue is full */
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

  /** Gives a slot back: the first in the queue gets it. */
  release(): void {
    const [first] = this.#queue
    if (first === undefined) this.free += 1
    else {
      this.#queue.delete(first)
      first()
    }
  }
}
