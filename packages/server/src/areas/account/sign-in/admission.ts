import { wideNetworkOf } from '../../../shared/network-of.js'
import { sourceOf } from './failures.js'

/**
 * Maximum numbers of sign-ins at a time, running or queued; further ones are refused at once. Known browsers have room of their own, so that a flood
 * of guesses does not refuse them.
 */
const limits = {
  /** From one network, so that it cannot fill the queue for the others: an address or a /64, and a /24 or a /48. */
  network: 6,
  wideNetwork: 12,
  unknown: 26,
  /** Of known browsers: of one account, and together. */
  account: 2,
  known: 8,
} as const

/** A sign-in was refused because too many are in progress. */
export const busy = Symbol('busy')

/** Who signs in: the address of an unknown browser, or the account of a known one. */
export type Caller = { readonly ip: string } | { readonly knownFor: number }

export type SignInAdmission = ReturnType<typeof signInAdmission>

/** Limits the sign-ins in progress of a process: each needs 19 MiB and 40 ms of a thread to hash its password. */
export function signInAdmission() {
  const counts = new Map<string, number>()
  const countOf = (key: string) => counts.get(key) ?? 0

  function leave(key: string): void {
    const left = countOf(key) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }

  return {
    /** Runs the work. @returns `busy` if it was refused before its start */
    async run<R>(caller: Caller, work: () => Promise<R>): Promise<R | typeof busy> {
      const groups = groupsOf(caller)
      if (groups.some(([key, max]) => countOf(key) >= max)) return busy
      for (const [key] of groups) counts.set(key, countOf(key) + 1)
      try {
        return await work()
      } finally {
        for (const [key] of groups) leave(key)
      }
    },
  }
}

/** The groups that a sign-in counts in, each with its maximum. */
const groupsOf = (caller: Caller): readonly (readonly [key: string, max: number])[] =>
  'ip' in caller
    ? [
        ['unknown', limits.unknown],
        [`wide ${wideNetworkOf(caller.ip)}`, limits.wideNetwork],
        [`network ${sourceOf(caller.ip)}`, limits.network],
      ]
    : [
        ['known', limits.known],
        [`account ${String(caller.knownFor)}`, limits.account],
      ]
