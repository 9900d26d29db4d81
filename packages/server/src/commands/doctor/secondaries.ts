import { setTimeout as sleep } from 'node:timers/promises'
import { dnsKeyStore } from '../../areas/dns/keys/store.js'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import { isNewerSerial } from '../../ports/dns/serial.js'
import type { Secondary } from '../../ports/dns/transfers/options.js'
import { queryDns, type DnsReply } from '../../ports/resolver/dns-query.js'
import { counted } from '../../shared/counted.js'
import { requireDatabase, type Check, type Context, type ZoneChoice } from './check.js'
import type { Report } from './finding.js'
import { textOf } from './resolvers.js'
import { soaIn } from './zone-serials.js'

/** Zones that are compared unless all are, and the time after which no further ones are. */
const zonesMax = 1_000
const compareMs = 15_000

/** Zones that each secondary is asked for at the same time, and the time for them: 100 queries per second are below the limit of most servers. */
const atOnce = 10
const paceMs = 100

/**
 * A secondary may be transferring a zone: one that differs is looked at again, after this time. No look begins after `lookMs` since the
 * start: what has not been looked at again by then counts, and the deadline still leaves time for the answers.
 */
const settleMs = 1_000
const looksMax = 3
const lookMs = 20_000

const listedMax = 20

/** How a secondary serves a zone otherwise than svc. */
interface Difference {
  readonly zone: string
  readonly kind: 'behind' | 'ahead' | 'absent'
  /** For the operator: the zone, with both serials. */
  readonly text: string
}

export interface SecondariesCheckOptions {
  readonly zones: ZoneChoice
  /** As `lookMs`. */
  readonly lookAgainMs?: number
}

/** Whether the nameservers of SVC_DNS_SECONDARIES have the serials of svc. */
export const secondariesCheck = ({ zones, lookAgainMs = lookMs }: SecondariesCheckOptions): Check => ({
  section: 'secondaries',
  deadlineMs: zones.kind === 'all' ? undefined : 27_000,
  async run(context, report, signal) {
    const { provider, secondaries = [] } = context.config.dns
    if (secondaries.length === 0) {
      report.ok('SVC_DNS_SECONDARIES names no secondary.')
      return
    }
    if (provider.kind !== 'embedded') {
      report.warning('SVC_DNS_SECONDARIES has no effect: PowerDNS tells its secondaries about changes.')
      return
    }
    const db = await requireDatabase(context, report)
    if (db === undefined) return
    await checkKeys(db, secondaries, report)
    const lookUntil = zones.kind === 'all' ? Infinity : performance.now() + lookAgainMs
    await new Comparison(db, secondaries, lookUntil).run(zones, context, report, signal)
  },
})

async function checkKeys(db: InspectedDatabase, secondaries: readonly Secondary[], report: Report): Promise<void> {
  const known = new Set((await dnsKeyStore(db).list()).map(({ name }) => name))
  for (const { key, ...server } of secondaries)
    if (key !== undefined && !known.has(key))
      report.error(
        `SVC_DNS_SECONDARIES names the key ${key} for ${textOf(server)}, which does not exist: svc does not tell this secondary about changes.`,
        `Run svc dns key add ${key} and give the key to the secondary, or correct SVC_DNS_SECONDARIES.`,
      )
}

/** Compares the serials of the secondaries with those in the database, which svc serves. */
class Comparison {
  readonly #differences = new Map<Secondary, Difference[]>()
  readonly #silent = new Set<Secondary>()
  readonly #stored: Pick<ReturnType<typeof zoneStore>, 'names' | 'has' | 'serial'>

  /** @param lookUntil when the last look begins, on the clock of `performance.now()` */
  constructor(
    db: InspectedDatabase,
    private readonly secondaries: readonly Secondary[],
    private readonly lookUntil: number,
  ) {
    this.#stored = zoneStore(db)
  }

  async run(choice: ZoneChoice, { progress }: Context, report: Report, signal: AbortSignal): Promise<void> {
    const limit = choice.kind === 'all' ? Infinity : zonesMax
    const until = choice.kind === 'all' ? Infinity : performance.now() + compareMs
    if (choice.kind === 'one' && (await this.#servedSerial(choice.zone)) === undefined) {
      report.ok(`${choice.zone} is not a zone of svc.`)
      return
    }
    await Promise.all(this.secondaries.map((secondary) => this.#ask(secondary, '.')))
    let compared = 0
    let hasMore = false
    for await (const zones of inGroups(choice.kind === 'one' ? [choice.zone] : this.#stored.names())) {
      if (signal.aborted) return
      hasMore = compared >= limit || performance.now() > until
      if (hasMore || this.#silent.size === this.secondaries.length) break
      const [found] = await Promise.all([this.#look(zones), sleep(paceMs)])
      for (const [secondary, differences] of found) this.#add(secondary, differences)
      compared += zones.length
      progress(`Compared the serials of ${counted(compared, 'zone')} with those of the secondaries.`)
    }
    await this.#lookAgain(signal)
    for (const secondary of this.secondaries) this.#report(secondary, compared, report)
    if (hasMore)
      report.ok(
        `Only the first ${String(compared)} zones were compared: --all-zones compares all, and --zone ZONE one.`,
      )
  }

  #add(secondary: Secondary, differences: readonly Difference[]): void {
    const known = this.#differences.get(secondary)
    if (known === undefined) this.#differences.set(secondary, [...differences])
    else known.push(...differences)
  }

  /** Keeps the differences that are still there some time later. */
  async #lookAgain(signal: AbortSignal): Promise<void> {
    for (let looks = 1; looks < looksMax && !signal.aborted; looks++) {
      const before = [...this.#differences].filter(([, differences]) => differences.length > 0)
      if (before.length === 0 || this.#isLate) return
      await sleep(settleMs)
      await Promise.all(before.map(([secondary, differences]) => this.#lookAgainAt(secondary, differences, signal)))
    }
  }

  get #isLate(): boolean {
    return performance.now() > this.lookUntil
  }

  async #lookAgainAt(secondary: Secondary, before: readonly Difference[], signal: AbortSignal): Promise<void> {
    this.#differences.delete(secondary)
    for await (const differences of inGroups(before)) {
      if (this.#isLate || signal.aborted) {
        this.#add(secondary, differences)
        continue
      }
      const zones = differences.map(({ zone }) => zone)
      const [found] = await Promise.all([this.#look(zones, [secondary]), sleep(paceMs)])
      this.#add(secondary, found.get(secondary) ?? [])
    }
  }

  /** @returns undefined for a zone that svc does not serve, such as one that was deleted */
  async #servedSerial(zone: string): Promise<number | undefined> {
    return (await this.#stored.has(zone)) ? this.#stored.serial(zone) : undefined
  }

  async #look(zones: readonly string[], secondaries = this.secondaries): Promise<Map<Secondary, Difference[]>> {
    const serials = await Promise.all(zones.map((zone) => this.#servedSerial(zone)))
    const found = secondaries.map(async (secondary): Promise<[Secondary, Difference[]]> => {
      const replies = await Promise.all(zones.map((zone) => this.#ask(secondary, zone)))
      const differences = replies.flatMap((reply, at) => differenceOf(zones[at] ?? '', serials[at], reply))
      return [secondary, differences]
    })
    return new Map(await Promise.all(found))
  }

  /** @returns undefined if the secondary does not answer; it is not asked again */
  async #ask(secondary: Secondary, zone: string): Promise<DnsReply | undefined> {
    if (this.#silent.has(secondary)) return undefined
    const reply = await queryDns(secondary, { name: zone, type: 'SOA', transport: 'udp', recursion: false })
    if (typeof reply !== 'string') return reply
    this.#silent.add(secondary)
    return undefined
  }

  #report(secondary: Secondary, compared: number, report: Report): void {
    const where = `The secondary ${textOf(secondary)}`
    if (this.#silent.has(secondary)) {
      report.error(
        `${where} does not answer over UDP.`,
        'Start the nameserver there, open its port in the firewall, or correct SVC_DNS_SECONDARIES.',
      )
      return
    }
    const all = this.#differences.get(secondary) ?? []
    const of = (kind: Difference['kind']) => all.filter((one) => one.kind === kind).map(({ text }) => text)
    const tell = (texts: readonly string[], what: string, remedy: string) => {
      if (texts.length > 0)
        report.error(
          `${where} ${what} ${String(texts.length)} of ${counted(compared, 'zone')}.`,
          remedy,
          texts.slice(0, listedMax),
        )
    }
    tell(
      of('behind'),
      'is behind svc in',
      'Read its log: it does not get NOTIFY, or cannot transfer the zone. See docs/secondaries.md.',
    )
    tell(of('ahead'), 'has a higher serial than svc, so that it takes no changes, in', 'Let it copy these zones anew.')
    tell(
      of('absent'),
      'does not serve',
      'Check that it follows the catalog of svc, or has these zones in its configuration.',
    )
    if (all.length > 0) return
    report.ok(`${where} ${compared === 0 ? 'answers' : `has the serials of svc in ${counted(compared, 'zone')}`}.`)
  }
}

/** @param ours undefined for a zone that svc does not serve */
function differenceOf(zone: string, ours: number | undefined, reply: DnsReply | undefined): Difference[] {
  if (ours === undefined || reply === undefined) return []
  const theirs = reply.isAuthoritative ? soaIn(reply)?.serial : undefined
  if (theirs === undefined) return [{ zone, kind: 'absent', text: zone }]
  if (theirs === ours) return []
  const kind = isNewerSerial(ours, theirs) ? 'behind' : 'ahead'
  return [{ zone, kind, text: `${zone}: serial ${String(theirs)}, that of svc is ${String(ours)}` }]
}

async function* inGroups<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < atOnce) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
