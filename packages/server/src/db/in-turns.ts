/** Runs work alone among all that is given the same key: one after another, in the order of the calls. */
export type Exclusively = <R>(key: string, work: () => Promise<R>) => Promise<R>

/** Turns within this process. */
export function inTurns(): Exclusively {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    // Whether or not the one before went well is for its caller.
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
