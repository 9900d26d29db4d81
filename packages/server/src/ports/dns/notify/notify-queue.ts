/** The zones that one secondary must be told about, and when. Pure. */

/** Messages without an answer, at most. One only while the secondary does not answer. */
const windowMax = 32

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

  /** Adds a zone that has changed. One that is waiting already stays where it is. @param isUrgent whether it is the next one */
  add(zone: string, isUrgent = false): void {
    if (this.queue.has(zone)) return
    const entry = { attempts: 0, answersBefore: this.answers }
    if (isUrgent) this.queue = new Map([[zone, entry], ...this.queue])
    else this.queue.set(zone, entry)
  }

  /** @returns the next zone to send a message for; undefined if there is none, or too many are under way */
  take(): string | undefined {
    if (this.sent.size >= (this.failures > 0 ? 1 : windowMax)) return undefined
    for (const [zone, entry] of this.queue) {
      // Its answer would be taken for that of the message before.
      if (this.sent.has(zone)) continue
      this.queue.delete(zone)
      this.sent.set(zone, entry)
      return zone
    }
    return undefined
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

  get isEmpty(): boolean {
    return this.queue.size === 0 && this.sent.size === 0
  }
}
