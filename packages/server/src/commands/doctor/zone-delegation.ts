import { isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateNameOf } from '../../areas/dns/claims/private-names.js'
import { Report } from './finding.js'
import { NoResolver, type ParentView, type PublicDns } from './public-dns.js'
import { lagOf, soaIn, ZoneSerials } from './zone-serials.js'

/** RFC 1035, section 4.1.1. */
const servFail = 2

/** The time between two looks at serials: a change reaches all processes within a quarter of a second, and secondaries soon after. */
const settleMs = 1_000
const looksMax = 3

export interface ExpectedDelegation {
  /** The names in SVC_NAMESERVERS. */
  readonly nameservers: readonly string[]
  /** Whether svc's nameserver serves the zones: it does not sign them. */
  readonly isUnsigned: boolean
  /** The serial that svc serves; undefined if it does not know. */
  readonly serialOf: (zone: string) => Promise<number | undefined>
}

type Delegated = ParentView & { kind: 'delegated' }

/** Checks the delegation of one zone after another. */
export class ZoneCheck {
  readonly #serials: ZoneSerials

  constructor(
    private readonly dns: PublicDns,
    private readonly expected: ExpectedDelegation,
  ) {
    this.#serials = new ZoneSerials(dns)
  }

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
      const secondaries = await this.#secondariesIn(zone, view)
      this.#checkParent(zone, view, secondaries, report)
      await this.#checkGlue(zone, view, report)
      // Resolvers learn the names that the parent does not have from the zone itself.
      await this.#checkServing(zone, [...new Set([...nameservers, ...secondaries])], report)
      await this.#checkResolver(zone, report)
      if (report.findings.length === 0) report.ok(`${zone} is delegated to ${ours.join(', ')}, which answer for it.`)
    }
  }

  /** The nameservers at the parent that SVC_NAMESERVERS does not have, and which serve the zone of svc nevertheless. */
  async #secondariesIn(zone: string, { names }: Delegated): Promise<string[]> {
    const others = names.filter((name) => !this.expected.nameservers.includes(name))
    const isSecondary = await Promise.all(
      others.map(async (name) => {
        const served = await new ZoneSerials(this.dns).of(zone, [name])
        return served.some((one) => 'serial' in one && one.primary === this.expected.nameservers[0])
      }),
    )
    return others.filter((_, at) => isSecondary[at])
  }

  /** What the parent says about the zone, compared with SVC_NAMESERVERS. */
  #checkParent(zone: string, { names, hasDs }: Delegated, secondaries: readonly string[], report: Report): void {
    const { nameservers, isUnsigned } = this.expected
    const missing = nameservers.filter((name) => !names.includes(name))
    const others = names.filter((name) => !nameservers.includes(name) && !secondaries.includes(name))
    if (missing.length > 0)
      report.warning(
        `${zone} is delegated to ${names.join(', ')}, but not to ${missing.join(', ')}.`,
        'Add the missing nameservers at the registrar of the zone.',
      )
    if (secondaries.length > 0)
      report.warning(
        `${zone} is also delegated to its secondaries ${secondaries.join(', ')}, which SVC_NAMESERVERS does not have: the NS records of the zone do not name them.`,
        'Add them to SVC_NAMESERVERS.',
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

  /** Compares the serials. Nameservers that are behind are queried again: a secondary may be transferring the zone. */
  async #checkServing(zone: string, names: readonly string[], report: Report): Promise<void> {
    const served = await this.#serials.of(zone, names)
    for (const one of served) if ('problem' in one) report.error(one.problem, one.remedy)
    let lag = lagOf(served, await this.expected.serialOf(zone))
    for (let looks = 1; lag !== undefined && looks < looksMax; looks++) {
      await sleep(settleMs)
      lag = lagOf(await this.#serials.of(zone, names), await this.expected.serialOf(zone))
    }
    if (lag === undefined) return
    const { newest, behind } = lag
    for (const { server, serial } of behind)
      report.error(
        `${server} is behind in ${zone}: it has the serial ${String(serial)}, and ${String(newest)} is the newest.`,
        'A secondary: check in its log that it gets NOTIFY and may transfer the zone. A server of svc: check that it has the same database. PowerDNS: check its replication.',
      )
  }

  /** Whether a resolver finds the zone, as clients do. */
  async #checkResolver(zone: string, report: Report): Promise<void> {
    const reply = await this.dns.resolve(zone, 'SOA')
    if (reply.rcode !== 0 || soaIn(reply) === undefined)
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
