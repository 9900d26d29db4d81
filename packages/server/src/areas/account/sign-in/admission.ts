/** Maximum number of sign-ins at a time, running or queued. Further ones are refused at once. */
const admittedMax = 34

/** Maximum from one network, so that it cannot fill the queue for the others. */
const admittedPerNetwork = 6

/** A sign-in was refused because too many are in progress. */
export const busy = Symbol('busy')

export type SignInAdmission = ReturnType<typeof signInAdmission>

/** Limits the sign-ins in progress: each needs 19 MiB and 40 ms of a thread to hash its password. */
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
    /** Runs the work. @returns `busy` if it was refused before its start */
    async run<R>(network: string, work: () => Promise<R>): Promise<R | typeof busy> {
      const ofNetwork = byNetwork.get(network) ?? 0
      if (total >= admittedMax || ofNetwork >= admittedPerNetwork) return busy
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
