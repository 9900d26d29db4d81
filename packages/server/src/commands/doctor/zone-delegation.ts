import { isIPv4 } from 'node:net'
import type { DnsReply } from '../../ports/resolver/dns-query.js'
import type { Status } from './finding.js'
import type { ParentView, PublicDns } from './public-dns.js'

/** RFC 1035, section 4.1.1. */
const servFail = 2

/** The time between two looks at serials: a change reaches all processes within a quarter of a second. */
export const settleMs = 1_000

export interface ZoneFinding {
  readonly status: Status
  readonly message: string
  readonly remedy?: string
}

export interface ExpectedDelegation {
  /** The names in SVC_NAMESERVERS. */
  readonly nameservers: readonly string[]
  /** Whether svc's nameserver serves the zones: it does not sign them. */
  readonly isUnsigned: boolean
}

type Delegated = ParentView & { kind: 'delegated' }

/** What the parent says about the zone, compared with SVC_NAMESERVERS. */
export async function delegationFindings(
  dns: PublicDns,
  zone: string,
  view: Delegated,
  { nameservers, isUnsigned }: ExpectedDelegation,
): Promise<ZoneFinding[]> {
  const missing = nameservers.filter((name) => !view.names.includes(name))
  const others = view.names.filter((name) => !nameservers.includes(name))
  return [
    ...(missing.length > 0
      ? [
          warning(
            `${zone} is delegated to ${view.names.join(', ')}, but not to ${missing.join(', ')}.`,
            'Add the missing nameservers at the registrar of the zone.',
          ),
        ]
      : []),
    ...(others.length > 0
      ? [
          error(
            `${zone} is also delegated to ${others.join(', ')}, which SVC_NAMESERVERS does not have: resolvers that ask there do not get the records of svc.`,
            'Remove them at the registrar of the zone, or add them to SVC_NAMESERVERS.',
          ),
        ]
      : []),
    ...(view.hasDs && isUnsigned
      ? [
          error(
            `${zone} has a DS record at its parent, but svc does not sign zones: validating resolvers refuse all its records.`,
            'Remove the DS record (DNSSEC) at the registrar of the zone.',
          ),
        ]
      : []),
    ...(await glueFindings(dns, zone, view)),
  ]
}

/** Resolvers find a nameserver inside the zone only by the addresses at the parent. */
async function glueFindings(dns: PublicDns, zone: string, { names, glue }: Delegated): Promise<ZoneFinding[]> {
  const findings: ZoneFinding[] = []
  for (const name of names.filter((one) => one === zone || one.endsWith(`.${zone}`))) {
    const given = glue.get(name) ?? []
    if (given.length === 0) {
      findings.push(
        error(
          `${name} is inside ${zone}, and the parent has no address (glue) for it: resolvers cannot find it.`,
          `Register ${name} with its addresses at the registrar of ${zone}.`,
        ),
      )
      continue
    }
    const own = await dns.addressesOf(name)
    // Only of the kinds that were looked up.
    const compared = given.filter((address) => isIPv4(address) || own.some((one) => !isIPv4(one)))
    if (own.length > 0 && !isSameSet(own, compared))
      findings.push(
        error(
          `The parent of ${zone} has the address ${given.join(', ')} for ${name}, but the zone has ${own.join(', ')}.`,
          `Correct the address of ${name} at the registrar of ${zone}, or in the zone.`,
        ),
      )
  }
  return findings
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((item) => other.includes(item)) && other.every((item) => one.includes(item))

/** Whether a resolver finds the zone, as clients do. */
export async function resolverFindings(dns: PublicDns, zone: string): Promise<ZoneFinding[]> {
  const { rcode, answers } = await dns.resolve(zone, 'SOA')
  if (rcode === 0 && answers.some(({ type }) => type === 'SOA')) return []
  return [
    error(
      rcode === servFail
        ? `A resolver cannot resolve ${zone} (SERVFAIL).`
        : `A resolver does not find ${zone}, although it is delegated.`,
      'Correct the other problems of the zone first. A new delegation takes up to two days, until caches have expired.',
    ),
  ]
}

interface Served {
  /** Servers that do not answer, or not for the zone. */
  readonly findings: ZoneFinding[]
  /** Servers that have different versions of the zone. */
  readonly conflict: ZoneFinding | undefined
}

/** The nameservers of the operator. A server that does not answer is reported once, not for every zone. */
export class Nameservers {
  readonly #failed = new Set<string>()
  readonly #reported = new Set<string>()

  constructor(private readonly dns: PublicDns) {}

  /** Asks all of these nameservers for the SOA of a zone, at each address over UDP and TCP. */
  async findings(zone: string, names: readonly string[]): Promise<Served> {
    const answered = (await Promise.all(names.map((name) => this.#answersOf(name, zone)))).flat()
    const serials = new Map(
      answered.flatMap((answer) => ('serial' in answer ? [[answer.serial, answer.where] as const] : [])),
    )
    return {
      findings: answered.flatMap((answer) => ('status' in answer ? [answer] : [])),
      conflict: serials.size > 1 ? conflictOf(zone, serials) : undefined,
    }
  }

  async #answersOf(name: string, zone: string): Promise<(ZoneFinding | { serial: number; where: string })[]> {
    const addresses = await this.dns.addressesOf(name)
    if (addresses.length === 0)
      return this.#once(
        `${name} has no address`,
        error(
          `The nameserver ${name} has no address.`,
          `Create an A record for ${name}; if its zone is in svc, see "Delegating a zone" in docs/operating.md.`,
        ),
      )
    const queries = addresses.flatMap((address) =>
      (['udp', 'tcp'] as const).map((transport) => this.#answer(name, address, transport, zone)),
    )
    return (await Promise.all(queries)).flat()
  }

  async #answer(name: string, address: string, transport: 'udp' | 'tcp', zone: string) {
    const where = `${name} (${address}) over ${transport.toUpperCase()}`
    if (this.#failed.has(where)) return []
    const reply = await this.dns.ask(address, zone, 'SOA', transport)
    if (typeof reply === 'string') {
      this.#failed.add(where)
      return this.#once(
        where,
        error(
          `The nameserver ${where} does not answer.`,
          `Start the nameserver there, and open port 53 for ${transport.toUpperCase()} in the firewall.`,
        ),
      )
    }
    const serial = serialIn(reply)
    if (reply.isAuthoritative && serial !== undefined) return [{ serial, where }]
    return [
      error(
        `${where} does not serve ${zone} (lame delegation).`,
        'Check that the server there has the same database as this one.',
      ),
    ]
  }

  #once(key: string, finding: ZoneFinding): ZoneFinding[] {
    if (this.#reported.has(key)) return []
    this.#reported.add(key)
    return [finding]
  }
}

function conflictOf(zone: string, serials: ReadonlyMap<number, string>): ZoneFinding {
  const versions = [...serials].map(([serial, where]) => `${where} has ${String(serial)}`)
  return error(
    `The nameservers of ${zone} have different serials: ${versions.join(', ')}.`,
    'Check that all of them are svc processes on one database, or PowerDNS servers whose replication works.',
  )
}

const serialIn = ({ answers }: DnsReply): number | undefined =>
  answers.flatMap((answer) => (answer.type === 'SOA' ? [answer.data.serial ?? 0] : []))[0]

const error = (message: string, remedy: string): ZoneFinding => ({ status: 'error', message, remedy })
const warning = (message: string, remedy: string): ZoneFinding => ({ status: 'warning', message, remedy })
