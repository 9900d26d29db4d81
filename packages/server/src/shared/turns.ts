import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Begins one task in each turn of the event loop, in the order of the calls. Without it, many requests that arrive at once are
 * handled in one turn, so that tasks of a few milliseconds together block the event loop.
 * @returns a function that runs a task
 */
export function turns(): <R>(task: () => Promise<R>) => Promise<R> {
  let last = Promise.resolve()
  return async (task) => {
    const mine = last
    // Whether the task has ended does not matter: a database that does not answer must not delay the next one.
    last = mine.then(() => nextTurn())
    await mine
    return task()
  }
}
