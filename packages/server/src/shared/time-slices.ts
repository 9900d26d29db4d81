import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work may block the event loop at a time, in milliseconds. */
const sliceMs = 4

/** Divides long work into slices, so that the event loop handles other requests in between. */
export class TimeSlices {
  #until = performance.now() + sliceMs

  /** @param signal ends the work; undefined if it always runs to its end */
  constructor(private readonly signal?: AbortSignal) {}

  /** Whether the slice is over: then `next` is due. Asking costs less than a `next` that has nothing to do. */
  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  /** Lets the event loop run. @throws the reason of the signal if it is aborted */
  async next(): Promise<void> {
    await nextTurn()
    this.signal?.throwIfAborted()
    this.#until = performance.now() + sliceMs
  }
}
