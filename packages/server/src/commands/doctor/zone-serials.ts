import { isNewerSerial } from '../../ports/dns/serial.js'
import type { DnsReply } from '../../ports/resolver/dns-query.js'
import type { PublicDns } from './public-dns.js'

/** What a nameserver answers for the SOA of a zone at one address, or what is wrong. */
export type Served = ServedZone | { readonly problem: string; readonly remedy: string }

export interface ServedZone {
  /** The name and address of the nameserver: `ns1.example.net (192.0.2.1)`. */
  readonly server: string
  readonly serial: number
  /** The first nameserver of the zone (MNAME), in lower case: a secondary has that of its primary. */
  readonly primary: string
}

/** Asks nameservers for the SOA of zones. A nameserver that does not answer is reported once, not for every zone. */
export class ZoneSerials {
  readonly #failed = new Set<string>()
  readonly #reported = new Set<string>()

  constructor(private readonly dns: PublicDns) {}

  /** Asks all of these nameservers for the SOA of a zone, at each address over UDP and TCP. */
  async of(zone: string, names: readonly string[]): Promise<readonly Served[]> {
    return (await Promise.all(names.map((name) => this.#servedBy(name, zone)))).flat()
  }

  async #servedBy(name: string, zone: string): Promise<readonly Served[]> {
    const addresses = await this.dns.addressesOf(name)
    if (addresses.length === 0)
      return this.#once({
        problem: `The nameserver ${name} has no address.`,
        remedy: `Create an A record for ${name}; if its zone is in svc, see "Delegating a zone" in docs/operating.md.`,
      })
    const queries = addresses.flatMap((address) =>
      (['udp', 'tcp'] as const).map((transport) => this.#answer(name, address, transport, zone)),
    )
    return (await Promise.all(queries)).flat()
  }

  async #answer(name: string, address: string, transport: 'udp' | 'tcp', zone: string): Promise<readonly Served[]> {
    const server = `${name} (${address})`
    const where = `${server} over ${transport.toUpperCase()}`
    if (this.#failed.has(where)) return []
    const reply = await this.dns.ask(address, zone, 'SOA', transport)
    if (typeof reply === 'string') {
      this.#failed.add(where)
      return this.#once({
        problem: `The nameserver ${where} does not answer.`,
        remedy: `Start the nameserver there, and open port 53 for ${transport.toUpperCase()} in the firewall.`,
      })
    }
    const soa = soaIn(reply)
    if (reply.isAuthoritative && soa !== undefined) return [{ server, ...soa }]
    return [
      {
        problem: `${where} does not serve ${zone} (lame delegation).`,
        remedy:
          'Check that it is an svc server on the same database, or a secondary that has the zone in its configuration or from the catalog.',
      },
    ]
  }

  #once(served: Served & { problem: string }): readonly Served[] {
    if (this.#reported.has(served.problem)) return []
    this.#reported.add(served.problem)
    return [served]
  }
}

/** The serial and first nameserver of the SOA in an answer. */
export const soaIn = ({ answers }: DnsReply): Omit<ServedZone, 'server'> | undefined =>
  answers.flatMap((answer) =>
    answer.type === 'SOA' ? [{ serial: answer.data.serial ?? 0, primary: answer.data.mname.toLowerCase() }] : [],
  )[0]

export interface Lag {
  readonly newest: number
  /** The nameservers with an older serial, each once. */
  readonly behind: readonly ServedZone[]
}

/**
 * Compares serials as secondaries do (RFC 1982).
 * @param ours that of svc; undefined if it is not known
 * @returns undefined if all nameservers have the same serial
 */
export function lagOf(served: readonly Served[], ours: number | undefined): Lag | undefined {
  const found = served.filter((one) => 'serial' in one)
  const newest = found.reduce<number | undefined>(
    (most, { serial }) => (most === undefined || isNewerSerial(serial, most) ? serial : most),
    ours,
  )
  if (newest === undefined) return undefined
  const late = found.filter(({ serial }) => serial !== newest)
  const behind = [...new Map(late.map((one) => [one.server, one])).values()]
  return behind.length === 0 ? undefined : { newest, behind }
}
