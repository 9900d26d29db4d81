/** Sign-ins at a time, those that are looked at and those that are queued; beyond it they are refused at once. */
const longest = 34

/** Of these, from one network: it cannot fill the queue for all others. */
const longestOfNetwork = 6

/** A sign-in was refused because too many are under way. */
export const busy = Symbol('busy')

/** Bounds the sign-ins that are under way: each needs 19 MiB and 40 ms of a thread for its password. */
export function signInAdmission() {
  const byNetwork = new Map<string, number>()
  let total = 0

  function leave(network: string): void {
    total--
    const left = (byNetwork.get(network) ?? 0) - 1
    if (left > 0) byNetwork.set(network, left)
    else byNetwork.delete(network)
  }

  return {
    /** Runs the work, or refuses it before any of it has happened. */
    async run<R>(network: string, work: () => Promise<R>): Promise<R | typeof busy> {
      const ofNetwork = byNetwork.get(network) ?? 0
      if (total >= longest || ofNetwork >= longestOfNetwork) return busy
      total++
      byNetwork.set(network, ofNetwork + 1)
      try {
        return await work()
      } finally {
        leave(network)
      }
    },
  }
}
