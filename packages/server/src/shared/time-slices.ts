import { setImmediate as nextTurn } from 'node:timers/promises'

/** Divides long work into slices, so that the event loop handles other requests in between. */

/**
 * How long work may block the event loop at a time, in milliseconds. Two slices and their last steps stay below the 20 ms that the
 * event loop may be held up.
 */
const sliceMs = 4

/** The slices of one piece of work. */
export class TimeSlices {
  #until = performance.now() + sliceMs

  /**
   * @param signal ends the work; undefined if it always runs to its end
   * @param pause lets other work run between two slices
   */
  constructor(
    private readonly signal?: AbortSignal,
    private readonly pause: () => Promise<unknown> = nextTurn,
  ) {}

  /** Whether the slice is over: then `next` is due. Asking costs less than a `next` that has nothing to do. */
  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  /** Pauses the work. @throws the reason of the signal if it is aborted; the error of `pause` */
  async next(): Promise<void> {
    await this.pause()
    this.signal?.throwIfAborted()
    this.#until = performance.now() + sliceMs
  }
}

/** Runs a computation that yields between its steps to its end. */
export function runAtOnce<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Runs a computation that yields between its steps in slices.
 * @param pause lets other work run between two slices
 * @throws the error of a step, or of `pause`
 */
export async function runInSlices<R>(steps: Generator<undefined, R>, pause: () => Promise<unknown>): Promise<R> {
  const slices = new TimeSlices(undefined, pause)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (slices.isOver) await slices.next()
  }
}
