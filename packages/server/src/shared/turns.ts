import { setImmediate as nextTurn } from 'node:timers/promises'

/** Runs a task in a later turn of the event loop. At most one task of the same `turns()` begins in each turn. */
export type Turns = <R>(task: () => Promise<R>) => Promise<R>

/**
 * Begins one task in each turn of the event loop, in the order of the calls. Without it, many requests that arrive at once are
 * handled in one turn, so that tasks of a few milliseconds together block the event loop.
 * @returns a function that runs a task
 */
export function turns(): Turns {
  let last = Promise.resolve()
  return async (task) => {
    const mine = last
    // Whether the task has ended does not matter: a database that does not answer must not delay the next one.
    last = mine.then(() => nextTurn())
    await mine
    return task()
  }
}
