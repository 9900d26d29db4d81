import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Counts the running handlers. A handler continues when its client disconnects, but the HTTP server does not wait for it: the
 * database could close in the middle of the handler.
 */
export class RunningHandlers {
  #running = 0
  #allEnded: (() => void) | undefined

  get count(): number {
    return this.#running
  }

  /** Counts the work until it settles. @returns the same promise */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running++
    work.then(this.#ended, this.#ended)
    return work
  }

  /** Resolves when all handlers have ended, or when the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    for (;;) {
      // Also after a wait: a request that has just been authenticated reaches its handler some promises later, within the same
      // turn of the event loop.
      await nextTurn()
      if (this.#running === 0 || signal.aborted) return
      await this.#untilAllEnded(signal)
    }
  }

  #untilAllEnded(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#allEnded = resolve
      signal.addEventListener('abort', () => {
        resolve()
      })
    })
  }

  readonly #ended = (): void => {
    this.#running--
    if (this.#running === 0) this.#allEnded?.()
  }
}
