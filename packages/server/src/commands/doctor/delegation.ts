import { setTimeout as sleep } from 'node:timers/promises'
import { isPublicName } from '@svc/contract/public-name'
import { privateNameOf } from '../../areas/dns/claims/private-names.js'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import { requireDatabase, type Check, type Context, type ZoneChoice } from './check.js'
import type { Report } from './finding.js'
import { NoResolver, PublicDns } from './public-dns.js'
import { resolverAddresses } from './resolvers.js'
import {
  Nameservers,
  delegationFindings,
  resolverFindings,
  settleMs,
  type ExpectedDelegation,
  type ZoneFinding,
} from './zone-delegation.js'

/** Zones that are checked if the operator names none. */
const firstZones = 20

/** Zones that are checked at the same time. */
const zonesAtOnce = 5

const dnsPort = 53

export interface DelegationOptions {
  readonly zones: ZoneChoice
  /** Of nameservers other than the resolvers. */
  readonly port?: number
}

/** Whether the verified zones are delegated to this server, and its nameservers answer for them. */
export const delegationCheck = ({ zones, port = dnsPort }: DelegationOptions): Check => ({
  section: 'delegation',
  deadlineMs: zones.kind === 'all' ? undefined : 27_000,
  async run(context, report, signal) {
    const { dns } = context.config
    if (!dns.nameservers.every(isPublicName)) {
      report('ok', 'Not checked: SVC_NAMESERVERS has names that the public DNS cannot have.')
      return
    }
    const publicDns = new PublicDns(resolverAddresses(dns), port)
    const zoneCheck = new ZoneCheck(publicDns, {
      nameservers: dns.nameservers,
      isUnsigned: dns.provider.kind === 'embedded',
    })
    try {
      await checkZones(context, zones, { report, signal, zoneCheck })
    } catch (error) {
      if (!(error instanceof NoResolver)) throw error
      report('error', 'Not checked: no resolver answers.', 'Correct SVC_RESOLVERS, or the resolvers of the system.')
    }
  },
})

interface Checking {
  readonly report: Report
  readonly signal: AbortSignal
  readonly zoneCheck: ZoneCheck
}

async function checkZones(
  context: Context,
  choice: ZoneChoice,
  { report, signal, zoneCheck }: Checking,
): Promise<void> {
  const chosen = await chooseZones(context, choice, report)
  if (chosen === undefined) return
  let checked = 0
  let well = 0
  for await (const batch of batchesOf(chosen.names, zonesAtOnce)) {
    if (signal.aborted) return
    const results = await Promise.all(batch.map((zone) => zoneCheck.run(zone)))
    checked += batch.length
    for (const { status, message, remedy } of results.flat()) {
      // Thousands of lines would hide the others.
      if (status === 'ok' && choice.kind === 'all') well += 1
      else report(status, message, remedy)
    }
    context.progress(`Checked the delegation of ${String(checked)} zones.`)
  }
  if (checked === 0) report('ok', 'No zone is verified yet.')
  if (well > 0) report('ok', `${String(well)} of ${String(checked)} zones are as they should be.`)
  const rest = chosen.rest()
  if (rest)
    report('ok', `Only the first ${String(firstZones)} zones are checked: --all-zones checks all, and --zone ZONE one.`)
}

interface Chosen {
  readonly names: AsyncIterable<string>
  /** Whether there are more zones than `names` has. To be called after the last name. */
  readonly rest: () => boolean
}

async function chooseZones(context: Context, choice: ZoneChoice, report: Report): Promise<Chosen | undefined> {
  if (choice.kind === 'one') return { names: only(choice.zone), rest: () => false }
  const db = await requireDatabase(context, report)
  if (db === undefined) return undefined
  const names = zoneStore(db).verifiedNames()
  if (choice.kind === 'all') return { names, rest: () => false }
  let hasMore = false
  const limited = async function* () {
    let count = 0
    for await (const name of names) {
      if (count === firstZones) {
        hasMore = true
        return
      }
      count += 1
      yield name
    }
  }
  return { names: limited(), rest: () => hasMore }
}

async function* only(zone: string): AsyncGenerator<string> {
  yield zone
}

async function* batchesOf(names: AsyncIterable<string>, size: number): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const name of names) {
    batch.push(name)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Checks one zone after another, and remembers the servers that do not answer. */
class ZoneCheck {
  readonly #nameservers: Nameservers

  constructor(
    private readonly dns: PublicDns,
    private readonly expected: ExpectedDelegation,
  ) {
    this.#nameservers = new Nameservers(dns)
  }

  /** @throws NoResolver if no resolver answers for other names either */
  async run(zone: string): Promise<ZoneFinding[]> {
    try {
      return await this.#findings(zone)
    } catch (error) {
      if (!(error instanceof NoResolver)) throw error
      // A resolver waits for the nameservers of the zone, or of its parent, longer than this check does.
      await this.dns.resolve('.', 'NS')
      return [
        {
          status: 'error',
          message: `No resolver answers in time for ${zone}: its nameservers, or those of its parent zone, do not answer.`,
          remedy: `Check its nameservers at its registrar, which must be ${this.expected.nameservers.join(', ')}, and the firewall in front of them.`,
        },
      ]
    }
  }

  async #findings(zone: string): Promise<ZoneFinding[]> {
    const privateName = privateNameOf(zone)
    if (privateName) return [ok(`${zone} is not checked: the public DNS does not have it (${privateName.source}).`)]
    const view = await this.dns.parentView(zone)
    const { nameservers } = this.expected
    if (view.kind === 'unknown')
      return [
        {
          status: 'warning',
          message: `The delegation of ${zone} is unknown: no nameserver of the parent zone ${view.parent} answers.`,
        },
      ]
    if (view.kind === 'none')
      return [notDelegated(`${zone} is not delegated: its parent zone has no nameservers for it.`, nameservers)]
    const ours = view.names.filter((name) => nameservers.includes(name))
    if (ours.length === 0)
      return [notDelegated(`${zone} is delegated to other nameservers: ${view.names.join(', ')}.`, nameservers)]
    const found = [
      ...(await delegationFindings(this.dns, zone, view, this.expected)),
      ...(await this.#servingFindings(zone, ours)),
      ...(await resolverFindings(this.dns, zone)),
    ]
    return found.length > 0 ? found : [ok(`${zone} is delegated to ${ours.join(', ')}, which answer for it.`)]
  }

  /** Queries nameservers with different serials again: they may be about to apply a change. */
  async #servingFindings(zone: string, names: readonly string[]): Promise<ZoneFinding[]> {
    const { findings, conflict } = await this.#nameservers.findings(zone, names)
    if (conflict === undefined) return findings
    await sleep(settleMs)
    const again = await this.#nameservers.findings(zone, names)
    return [...findings, ...(again.conflict === undefined ? [] : [again.conflict])]
  }
}

const ok = (message: string): ZoneFinding => ({ status: 'ok', message })

const notDelegated = (message: string, nameservers: readonly string[]): ZoneFinding => ({
  status: 'warning',
  message,
  remedy: `To serve it from here, set its nameservers at its registrar to ${nameservers.join(', ')}.`,
})
