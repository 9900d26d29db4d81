/** Runs work on one zone alone among all that was given the same function: one after another, in the order of the calls. */
export type Exclusively = <R>(zone: string, work: () => Promise<R>) => Promise<R>

/** Turns within this process. */
export function inTurns(): Exclusively {
  const last = new Map<string, Promise<unknown>>()
  return async (zone, work) => {
    const before = last.get(zone) ?? Promise.resolve()
    // Whether or not the one before went well is for its caller.
    const mine = before.then(work, work)
    last.set(zone, mine)
    try {
      return await mine
    } finally {
      if (last.get(zone) === mine) last.delete(zone)
    }
  }
}
