import { setTimeout as sleep } from 'node:timers/promises'
import { CannotProve } from '../../../ports/certificates/acme/proof.js'
import type { NameAddresses } from '../../../ports/outbound/name-addresses.js'
import { queryDns, type DnsServerAddress } from '../../../ports/resolver/dns-query.js'
import type { DnsChallenge } from '../challenges/overlay.js'

/** Resolves when each nameserver that answers has the values. @throws CannotProve if one still lacks them after 30 seconds */
export type SeenAtNameservers = (challenges: readonly DnsChallenge[], signal: AbortSignal) => Promise<void>

export interface NameserverOptions {
  /** The names of the nameservers of all zones: one may be a secondary, which is later. */
  readonly nameservers: readonly string[]
  readonly addressesOf: NameAddresses
  readonly port?: number
  readonly deadlineMs?: number
}

const dnsPort = 53
const defaultDeadlineMs = 30_000
const everyMs = 250
const addressesMax = 16

/**
 * Asks the nameservers themselves, because a CA asks any of them. Servers that do not answer are left out: a CA asks another one then,
 * and some networks do not let a server reach its own public address.
 */
export function seenAtNameservers(options: NameserverOptions): SeenAtNameservers {
  const { nameservers, addressesOf, port = dnsPort, deadlineMs = defaultDeadlineMs } = options
  return async (challenges, signal) => {
    const deadline = AbortSignal.timeout(deadlineMs)
    const found = await Promise.allSettled(nameservers.map(addressesOf))
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const servers = addresses.slice(0, addressesMax).map((address) => ({ address, port }))
    await Promise.all(
      servers.map(async (server) => {
        while (!(await hasAll(server, challenges))) {
          if (deadline.aborted)
            throw new CannotProve(`The nameserver at ${server.address} does not have the values of the challenge yet.`)
          await sleep(everyMs, undefined, { signal })
        }
      }),
    )
  }
}

/** Whether a server has all values, or does not answer. */
async function hasAll(server: DnsServerAddress, challenges: readonly DnsChallenge[]): Promise<boolean> {
  for (const { name, value } of challenges) {
    const reply = await queryDns(server, { name, type: 'TXT', transport: 'tcp', recursion: false })
    // A server that answers with an error is not one of the zone.
    if (typeof reply === 'string' || (reply.rcode !== 0 && reply.rcode !== 3)) return true
    const values = reply.answers.flatMap((answer) => (answer.type === 'TXT' ? [textOf(answer.data)] : []))
    if (!values.includes(value)) return false
  }
  return true
}

const textOf = (data: string | Buffer | (string | Buffer)[]): string =>
  [data]
    .flat()
    .map((part) => part.toString())
    .join('')
