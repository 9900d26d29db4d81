/** Long computations that other work of the event loop must not wait for. They are generators that yield between their steps. */

/** Milliseconds of a slice. Two of them and their last steps stay below the 20 ms that the event loop may be held up. */
const sliceMs = 4

/** Runs a computation to its end. */
export function runAtOnce<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Runs a computation in slices of a few milliseconds.
 * @param pause lets other work run between two slices
 * @throws the error of a step, or of `pause`
 */
export async function runInSlices<R>(steps: Generator<undefined, R>, pause: () => Promise<unknown>): Promise<R> {
  for (let end = performance.now() + sliceMs; ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < end) continue
    await pause()
    end = performance.now() + sliceMs
  }
}
