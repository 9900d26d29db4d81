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
      const late = () => {
        this.#queue.delete(taken)
        resolve(false)
      }
      const timer = until === Infinity ? undefined : setTimeout(late, timeLeft(until))
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

interface SlotLimits {
  /** How much work runs at a time. */
  readonly running: number
  /** How much more may wait. */
  readonly waiting: number
}

interface KeyedLimits<K> {
  /** Of one key. */
  readonly each: SlotLimits
  /** Of all keys together; unlimited if missing. */
  readonly all?: SlotLimits
  /** Creates the error for work that has waited too long, or would be too much in a queue. */
  readonly busy: (key: K, waitedMs: number) => Error
}

/** Slots of each key, such as an account, and of all keys together: so one key cannot use what all of them share. */
export class KeyedSlots<K> {
  /** Keys without work are forgotten. */
  readonly #keys = new Map<K, { readonly slots: Slots; users: number }>()
  readonly #all: Slots | undefined

  constructor(private readonly limits: KeyedLimits<K>) {
    const { all } = limits
    this.#all = all && new Slots(all.running, all.waiting)
  }

  /**
   * Runs work, after earlier work of its key.
   * @param until when the wait ends, on the clock of `performance.now()`
   * @throws the error of `busy`: the work has not begun
   */
  async run<R>(key: K, until: number, work: () => Promise<R>): Promise<R> {
    const { running, waiting } = this.limits.each
    const since = performance.now()
    const busy = () => this.limits.busy(key, Math.ceil(performance.now() - since))
    const own = this.#keys.get(key) ?? { slots: new Slots(running, waiting), users: 0 }
    this.#keys.set(key, own)
    own.users += 1
    try {
      // The slot of the key first: work that waits for its key must not hold a slot of all.
      return await withSlot(own.slots, until, busy, () => (this.#all ? withSlot(this.#all, until, busy, work) : work()))
    } finally {
      own.users -= 1
      if (own.users === 0) this.#keys.delete(key)
    }
  }
}

async function withSlot<R>(slots: Slots, until: number, busy: () => Error, work: () => Promise<R>): Promise<R> {
  if (!(await slots.take(until))) throw busy()
  try {
    return await work()
  } finally {
    slots.release()
  }
}
