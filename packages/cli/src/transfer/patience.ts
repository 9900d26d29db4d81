import { setTimeout as sleep } from 'node:timers/promises'
import { lateBodyMessage } from '@svc/contract/errors'
import { NoAnswerError, SvcError } from '@svc/client'

/** How long a transfer may last without progress, in milliseconds. */
const limitMs = 5 * 60_000

const firstDelayMs = 1_000
const longestDelayMs = 30_000

export interface Clock {
  /** In milliseconds, never backwards. */
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, signal && { signal }),
}

/** Decides whether a transfer continues after a break, and when. Its lanes share it. */
export class Patience {
  #progressAt: number
  /** The longest delay that a note has named since the last progress: parallel lanes fail together. */
  #notedMs = 0
  #hasAnswer = false

  constructor(
    private readonly note: (text: string) => void,
    private readonly clock = systemClock,
  ) {
    this.#progressAt = clock.now()
  }

  /** Reports that bytes have arrived. */
  renew(): void {
    this.#progressAt = this.clock.now()
    this.#notedMs = 0
    this.#hasAnswer = true
  }

  /** Repeats `act` after breaks, with growing pauses. @throws its error if it is not a break or has lasted too long */
  async persist<R>(act: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    for (let attempt = 0; ; attempt++)
      try {
        const result = await act()
        this.#hasAnswer = true
        return result
      } catch (error) {
        signal?.throwIfAborted()
        await this.pause(error, attempt, signal)
      }
  }

  /**
   * Waits before the next attempt.
   * @param attempt number of attempts since the last progress, from 0
   * @throws the error if it is not a break or has lasted too long
   */
  async pause(error: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
    const isOver = this.clock.now() - this.#progressAt > limitMs
    if (isOver || !isBreak(error) || (!this.#hasAnswer && isUnreachable(error))) throw error
    const delayMs = Math.min(firstDelayMs * 2 ** attempt, longestDelayMs)
    if (delayMs > this.#notedMs) {
      this.#notedMs = delayMs
      this.note(`${(error as Error).message}; trying again in ${delayMs / 1000} s`)
    }
    await this.clock.wait(delayMs, signal)
  }
}

/** The statuses of a proxy that cannot reach the API. */
const proxyStatuses: readonly (number | undefined)[] = [502, 503, 504]

/** Whether the same request may succeed later. */
function isBreak(error: unknown): boolean {
  // The line stopped for so long that the server answered. It read only a part of the body.
  if (error instanceof SvcError) return error.status === 502 || error.message === lateBodyMessage
  if (!(error instanceof NoAnswerError)) return false
  return error.reason === 'network' || error.reason === 'timeout' || proxyStatuses.includes(error.status)
}

/** The codes of a connection that was open. Others are of an address without a server, a certificate that is not valid, … */
const brokenCodes: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** Whether no connection could be opened. Before the first answer, that means a wrong address, not a break. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof NoAnswerError) || error.reason !== 'network') return false
  // The cause is the error of fetch; its cause is the error of the system.
  const { cause } = error as { cause?: { cause?: { code?: string } } }
  return !brokenCodes.includes(cause?.cause?.code)
}
