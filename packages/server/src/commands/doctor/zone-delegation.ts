import { isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateNameOf } from '../../areas/dns/claims/private-names.js'
import type { DnsReply } from '../../ports/resolver/dns-query.js'
import { Report } from './finding.js'
import { NoResolver, type ParentView, type PublicDns } from './public-dns.js'

/** RFC 1035, section 4.1.1. */
const servFail = 2

/** The time between two looks at serials: a change reaches all processes within a quarter of a second. */
const settleMs = 1_000

export interface ExpectedDelegation {
  /** The names in SVC_NAMESERVERS. */
  readonly nameservers: readonly string[]
  /** Whether svc's nameserver serves the zones: it does not sign them. */
  readonly isUnsigned: boolean
}

type Delegated = ParentView & { kind: 'delegated' }

/** What a nameserver answers for the SOA of a zone: its serial, or what is wrong. */
type Served =
  { readonly serial: number; readonly where: string } | { readonly problem: string; readonly remedy: string }

/** Checks one zone after another. A nameserver that does not answer is reported once, not for every zone. */
export class ZoneCheck {
  readonly #failed = new Set<string>()
  readonly #reported = new Set<string>()

  constructor(
    private readonly dns: PublicDns,
    private readonly expected: ExpectedDelegation,
  ) {}

  /** @throws NoResolver if no resolver answers for other names either */
  async run(zone: string): Promise<Report> {
    const report = new Report('delegation')
    try {
      await this.#check(zone, report)
      return report
    } catch (error) {
      if (!(error instanceof NoResolver)) throw error
      // A resolver waits for the nameservers of the zone, or of its parent, longer than this check does.
      await this.dns.resolve('.', 'NS')
      const unanswered = new Report('delegation')
      unanswered.error(
        `No resolver answers in time for ${zone}: its nameservers, or those of its parent zone, do not answer.`,
        `Check its nameservers at its registrar, which must be ${this.expected.nameservers.join(', ')}, and the firewall in front of them.`,
      )
      return unanswered
    }
  }

  async #check(zone: string, report: Report): Promise<void> {
    const { nameservers } = this.expected
    const privateName = privateNameOf(zone)
    if (privateName) {
      report.ok(`${zone} is not checked: the public DNS does not have it (${privateName.source}).`)
      return
    }
    const delegate = `To serve it from here, set its nameservers at its registrar to ${nameservers.join(', ')}.`
    const view = await this.dns.parentView(zone)
    const ours = view.kind === 'delegated' ? view.names.filter((name) => nameservers.includes(name)) : []
    if (view.kind === 'unknown')
      report.warning(`The delegation of ${zone} is unknown: no nameserver of the parent zone ${view.parent} answers.`)
    else if (view.kind === 'none')
      report.warning(`${zone} is not delegated: its parent zone has no nameservers for it.`, delegate)
    else if (ours.length === 0)
      report.warning(`${zone} is delegated to other nameservers: ${view.names.join(', ')}.`, delegate)
    else {
      this.#checkParent(zone, view, report)
      await this.#checkGlue(zone, view, report)
      await this.#checkServing(zone, ours, report)
      await this.#checkResolver(zone, report)
      if (report.findings.length === 0) report.ok(`${zone} is delegated to ${ours.join(', ')}, which answer for it.`)
    }
  }

  /** What the parent says about the zone, compared with SVC_NAMESERVERS. */
  #checkParent(zone: string, { names, hasDs }: Delegated, report: Report): void {
    const { nameservers, isUnsigned } = this.expected
    const missing = nameservers.filter((name) => !names.includes(name))
    const others = names.filter((name) => !nameservers.includes(name))
    if (missing.length > 0)
      report.warning(
        `${zone} is delegated to ${names.join(', ')}, but not to ${missing.join(', ')}.`,
        'Add the missing nameservers at the registrar of the zone.',
      )
    if (others.length > 0)
      report.error(
        `${zone} is also delegated to ${others.join(', ')}, which SVC_NAMESERVERS does not have: resolvers that ask there do not get the records of svc.`,
        'Remove them at the registrar of the zone, or add them to SVC_NAMESERVERS.',
      )
    if (hasDs && isUnsigned)
      report.error(
        `${zone} has a DS record at its parent, but svc does not sign zones: validating resolvers refuse all its records.`,
        'Remove the DS record (DNSSEC) at the registrar of the zone.',
      )
  }

  /** Resolvers find a nameserver inside the zone only by the addresses at the parent. */
  async #checkGlue(zone: string, { names, glue }: Delegated, report: Report): Promise<void> {
    for (const name of names.filter((one) => one === zone || one.endsWith(`.${zone}`))) {
      const given = glue.get(name)
      if (given === undefined) {
        report.error(
          `${name} is inside ${zone}, and the parent has no address (glue) for it: resolvers cannot find it.`,
          `Register ${name} with its addresses at the registrar of ${zone}.`,
        )
        continue
      }
      const own = await this.dns.addressesOf(name)
      // Only of the kinds that were looked up.
      const compared = given.filter((address) => isIPv4(address) || own.some((one) => !isIPv4(one)))
      if (own.length > 0 && !isSameSet(own, compared))
        report.error(
          `The parent of ${zone} has the address ${given.join(', ')} for ${name}, but the zone has ${own.join(', ')}.`,
          `Correct the address of ${name} at the registrar of ${zone}, or in the zone.`,
        )
    }
  }

  /** Queries nameservers with different serials again: they may be about to apply a change. */
  async #checkServing(zone: string, names: readonly string[], report: Report): Promise<void> {
    const served = await this.#served(zone, names)
    for (const one of served) if ('problem' in one) report.error(one.problem, one.remedy)
    if (serialsIn(served).size < 2) return
    await sleep(settleMs)
    const serials = serialsIn(await this.#served(zone, names))
    if (serials.size < 2) return
    const versions = [...serials].map(([serial, where]) => `${where} has ${String(serial)}`)
    report.error(
      `The nameservers of ${zone} have different serials: ${versions.join(', ')}.`,
      'Check that all of them are svc processes on one database, or PowerDNS servers whose replication works.',
    )
  }

  /** Asks all of these nameservers for the SOA of a zone, at each address over UDP and TCP. */
  async #served(zone: string, names: readonly string[]): Promise<readonly Served[]> {
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
    const where = `${name} (${address}) over ${transport.toUpperCase()}`
    if (this.#failed.has(where)) return []
    const reply = await this.dns.ask(address, zone, 'SOA', transport)
    if (typeof reply === 'string') {
      this.#failed.add(where)
      return this.#once({
        problem: `The nameserver ${where} does not answer.`,
        remedy: `Start the nameserver there, and open port 53 for ${transport.toUpperCase()} in the firewall.`,
      })
    }
    const serial = serialIn(reply)
    if (reply.isAuthoritative && serial !== undefined) return [{ serial, where }]
    return [
      {
        problem: `${where} does not serve ${zone} (lame delegation).`,
        remedy: 'Check that the server there has the same database as this one.',
      },
    ]
  }

  #once(served: Served & { problem: string }): readonly Served[] {
    if (this.#reported.has(served.problem)) return []
    this.#reported.add(served.problem)
    return [served]
  }

  /** Whether a resolver finds the zone, as clients do. */
  async #checkResolver(zone: string, report: Report): Promise<void> {
    const reply = await this.dns.resolve(zone, 'SOA')
    if (reply.rcode !== 0 || serialIn(reply) === undefined)
      report.error(
        reply.rcode === servFail
          ? `A resolver cannot resolve ${zone} (SERVFAIL).`
          : `A resolver does not find ${zone}, although it is delegated.`,
        'Correct the other problems of the zone first. A new delegation takes up to two days, until caches have expired.',
      )
  }
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((item) => other.includes(item)) && other.every((item) => one.includes(item))

const serialsIn = (served: readonly Served[]): ReadonlyMap<number, string> =>
  new Map(served.flatMap((one) => ('serial' in one ? [[one.serial, one.where] as const] : [])))

const serialIn = ({ answers }: DnsReply): number | undefined =>
  answers.flatMap((answer) => (answer.type === 'SOA' ? [answer.data.serial ?? 0] : []))[0]
