/**
 * Limits how many tasks run at a time; further ones are queued in the order of the calls.
 * @param queueMax how many may be queued
 * @returns a function that runs a task. If the queue is full, it throws before the task begins.
 */
export function slots(running: number, queueMax: number): <R>(task: () => Promise<R>) => Promise<R> {
  const queue: (() => void)[] = []
  let free = running

  return async (task) => {
    if (free > 0) free--
    else {
      if (queue.length >= queueMax) throw new Error(`${queueMax} tasks are already queued.`)
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    try {
      return await task()
    } finally {
      // The slot passes to the next in the queue without becoming free in between.
      const next = queue.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
