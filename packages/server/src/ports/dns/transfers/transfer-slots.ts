/** How many transfers run at the same time. */
export interface SlotLimits {
  readonly total: number
  readonly perKey: number
  /** How many of each key wait. */
  readonly waitingPerKey: number
  /** How many milliseconds a transfer waits. */
  readonly waitMs: number
}

/**
 * A secondary asks for many zones at once when it starts, and asks again only after the SOA's retry time when one is refused: 15 minutes.
 * So transfers beyond the limit wait. Most take less than a millisecond. The connection must not count as idle during the wait.
 */
export const slotLimits: SlotLimits = { total: 4, perKey: 2, waitingPerKey: 256, waitMs: 6_000 }

interface Waiting {
  readonly key: string
  readonly start: () => void
}

/** Limits the transfers of all clients together, and those of each key. */
export class TransferSlots {
  private readonly running = new Map<string, number>()
  private total = 0
  private readonly waiting = new Set<Waiting>()

  constructor(private readonly limits = slotLimits) {}

  /**
   * Waits for a slot.
   * @returns a function that frees it; undefined if too many transfers of the key wait, or too long
   */
  async take(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const free = () => {
      this.total--
      const count = (this.running.get(key) ?? 0) - 1
      if (count > 0) this.running.set(key, count)
      else this.running.delete(key)
      this.startNext()
    }
    if (this.isFree(key)) {
      this.use(key)
      return free
    }
    const isTaken = await this.wait(key, signal)
    return isTaken ? free : undefined
  }

  private wait(key: string, signal: AbortSignal): Promise<boolean> {
    const { waitingPerKey, waitMs } = this.limits
    const ahead = Array.from(this.waiting).filter((other) => other.key === key).length
    if (ahead >= waitingPerKey || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (isTaken: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.waiting.delete(entry)
        resolve(isTaken)
      }
      const giveUp = () => {
        settle(false)
      }
      const entry: Waiting = {
        key,
        start: () => {
          this.use(key)
          settle(true)
        },
      }
      const timer = setTimeout(giveUp, waitMs)
      signal.addEventListener('abort', giveUp)
      this.waiting.add(entry)
    })
  }

  private isFree(key: string): boolean {
    return this.total < this.limits.total && (this.running.get(key) ?? 0) < this.limits.perKey
  }

  private use(key: string): void {
    this.total++
    this.running.set(key, (this.running.get(key) ?? 0) + 1)
  }

  /** In the order of their arrival, except those whose key has used up its share. */
  private startNext(): void {
    for (const { key, start } of this.waiting) if (this.isFree(key)) start()
  }
}
