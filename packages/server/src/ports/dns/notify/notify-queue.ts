/** The zones that one secondary must be told about, and when. Pure. */

export interface QueueLimits {
  /** Messages without an answer, at most. One only while the secondary does not answer. */
  readonly window: number
  /** Whether only one message is sent before the first answer. */
  readonly startsWithOne?: boolean
}

/** Of the operator's secondaries, which are known to exist. */
const defaultLimits: QueueLimits = { window: 32 }

/** How often a zone is tried while the secondary answers for other zones. */
const attemptsMax = 5

/** Milliseconds between two attempts while the secondary does not answer: doubled up to the last one. */
const backoff = { first: 1000, last: 60_000 }

interface Entry {
  attempts: number
  /** How many answers the secondary had given at the first attempt. */
  answersBefore: number
}

export class NotifyQueue {
  private queue = new Map<string, Entry>()
  private readonly sent = new Map<string, Entry>()
  private failures = 0
  private answers = 0

  constructor(private readonly limits = defaultLimits) {}

  /** Adds a zone that has changed. One that is waiting already stays where it is. @param isUrgent whether it is the next one */
  add(zone: string, isUrgent = false): void {
    if (this.queue.has(zone)) return
    const entry = { attempts: 0, answersBefore: this.answers }
    if (isUrgent) this.queue = new Map([[zone, entry], ...this.queue])
    else this.queue.set(zone, entry)
  }

  /** @returns the next zone to send a message for; undefined if there is none, or too many are under way */
  take(): string | undefined {
    if (this.sent.size >= this.window) return undefined
    for (const [zone, entry] of this.queue) {
      // Its answer would be taken for that of the message before.
      if (this.sent.has(zone)) continue
      this.queue.delete(zone)
      this.sent.set(zone, entry)
      return zone
    }
    return undefined
  }

  private get window(): number {
    const { window, startsWithOne } = this.limits
    return this.failures > 0 || (startsWithOne === true && this.answers === 0) ? 1 : window
  }

  /** A zone that was taken is not told. */
  drop(zone: string): void {
    this.sent.delete(zone)
  }

  /** Forgets the zones that have not been sent. */
  clear(): void {
    this.queue.clear()
  }

  answered(zone: string): void {
    this.sent.delete(zone)
    this.failures = 0
    this.answers++
  }

  /** A message got no answer. The zone is tried again after the others, unless it is given up. */
  failed(zone: string): void {
    const entry = this.sent.get(zone) ?? { attempts: 0, answersBefore: this.answers }
    this.sent.delete(zone)
    entry.attempts++
    if (entry.attempts >= attemptsMax && this.answers > entry.answersBefore) return
    if (!this.queue.has(zone)) this.queue.set(zone, entry)
  }

  /** The secondary does not answer: call it once for messages that failed together. @returns milliseconds until the next message */
  backOff(): number {
    this.failures++
    return Math.min(backoff.first * 2 ** (this.failures - 1), backoff.last)
  }

  /**
   * The secondary may answer again: the next pauses are short.
   * @returns milliseconds until the next message; undefined if the pause is short already
   */
  shortenPause(): number | undefined {
    if (this.failures <= 1) return undefined
    this.failures = 1
    return backoff.first
  }

  /** How often the secondary has not answered since its last answer. */
  get failuresInRow(): number {
    return this.failures
  }

  /** Zones that have not been sent. */
  get size(): number {
    return this.queue.size
  }

  get isEmpty(): boolean {
    return this.queue.size === 0 && this.sent.size === 0
  }
}
