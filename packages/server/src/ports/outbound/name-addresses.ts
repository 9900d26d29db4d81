import { Resolver } from 'node:dns/promises'

/** Milliseconds until the first retry. Each further wait is longer. */
const firstTimeoutMs = 2_000
const tries = 2

/** @returns the addresses of a name @throws Error with the code of `node:dns` if it has none */
export type NameAddresses = (name: string) => Promise<readonly string[]>

/**
 * Asks the resolvers of the system. `dns.lookup` is not used: it runs in the threads that also read files and hash passwords, and a
 * name whose servers do not answer would hold one of them for half a minute.
 */
export function nameAddresses(): NameAddresses {
  const resolver = new Resolver({ timeout: firstTimeoutMs, tries })
  return async (name) => {
    const replies = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
    const [failure] = replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason as Error] : []))
    if (addresses.length === 0 && failure !== undefined) throw failure
    return addresses
  }
}
