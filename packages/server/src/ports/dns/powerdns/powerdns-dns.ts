import type { Logger } from 'pino'
import type { ApexSettings } from '../apex.js'
import { Deadline } from '../deadline.js'
import {
  ProviderFailed,
  type DnsProvider,
  type Drift,
  type Inventory,
  type RRset,
  type Zone,
  type ZoneChange,
  type ZoneMark,
} from '../port.js'
import { isNewerSerial } from '../serial.js'
import { inBatches } from './batches.js'
import { absoluteName, canonicalName } from '../presentation/name.js'
import { computeRepairs, type Repair } from './drift.js'
import { PowerDnsApi, type PowerDnsRequest } from './powerdns-api.js'
import {
  changeOf,
  fields,
  toProviderRRset,
  isApex,
  isManaged,
  parseRecords,
  parseZone,
  toRRset,
  wantedRRsets,
  type ProviderRRset,
  type ProviderZone,
} from './zone-document.js'

export interface PowerDnsOptions extends ApexSettings {
  /** URL of its HTTP API: scheme, host and port. */
  readonly url: string
  readonly key: string
  /** Timeout of one request in milliseconds. A call of the port sends one or two requests, more for a zone of many megabytes. */
  readonly deadlineMs?: number
  readonly log: Logger
  /** The id of this installation: at most 36 characters. */
  readonly installation: string
}

const markPrefix = 'svc-'

const deadlineDefaultMs = 5_000

/** Timeout in milliseconds for the deletion of a zone that was created only in part. */
const undoMs = 3_000

/**
 * Serves zones with PowerDNS, through its HTTP API. Zones are of kind Native: the servers share one database. PowerDNS
 * increases the SOA serial with each change (SOA-EDIT-API INCREASE), also with one that restores a former state. RRsets of
 * types that svc does not manage (ALIAS, SSHFP …) are left alone.
 */
export async function powerdnsDns(options: PowerDnsOptions): Promise<DnsProvider> {
  const { url, key, log, deadlineMs = deadlineDefaultMs } = options
  return new PowerDns(new PowerDnsApi({ url, key, log, deadlineMs }), options, markPrefix + options.installation)
}

class PowerDns implements DnsProvider {
  readonly isExternal = true

  constructor(
    private readonly api: PowerDnsApi,
    private readonly apex: ApexSettings,
    /** The `account` of the zones of this installation: at most 40 characters. */
    private readonly ownMark: string,
  ) {}

  async setZone(zone: Zone, deadline?: Deadline): Promise<void> {
    const existing = await this.#read(zone.zone, deadline)
    if (existing === undefined) return this.#create(zone.zone, wantedRRsets(zone, this.apex), deadline)
    const mark = this.#markFrom(existing.account)
    if (mark === 'other') throw new ProviderFailed("the zone is marked as another installation's", zone.zone)
    if (!existing.increasesSerial || mark === 'none') await this.mark(zone.zone, deadline)
    const sets = this.#repairsOf(existing, zone).map(({ set }) => set)
    await this.#patch(zone.zone, sets, deadline)
  }

  async publish({ zone, rrsets }: ZoneChange, deadline?: Deadline): Promise<void> {
    const sets = rrsets.map(toProviderRRset)
    // Removals first: a new CNAME may replace the RRsets that are removed.
    const body = { rrsets: [...sets.filter(isRemoval), ...sets.filter((set) => !isRemoval(set))].map(changeOf) }
    await this.#change('PATCH', zone, body, deadline)
  }

  async removeZone(zone: string, _serial: number, deadline?: Deadline): Promise<void> {
    if ((await this.markOf(zone, deadline)) === 'missing') return
    await this.#change('DELETE', zone, undefined, deadline)
  }

  async zone(name: string, deadline?: Deadline): Promise<readonly RRset[] | undefined> {
    const existing = await this.#read(name, deadline)
    return existing?.sets.flatMap((set) => {
      const { type } = set
      return isApex(name, set) || !isManaged(type) ? [] : [toRRset({ ...set, type })]
    })
  }

  async zoneNames(): Promise<readonly string[]> {
    const request: PowerDnsRequest = { method: 'GET', path: '/zones?dnssec=false', expect: [200] }
    const { json } = await this.api.send(request)
    const names = Array.isArray(json) ? json.map((zone) => fields(zone)['name']) : [undefined]
    if (names.every((name) => typeof name === 'string')) return names.map(canonicalName)
    throw this.api.failed(request, 'its answer is not a list of zones', {})
  }

  async markOf(zone: string, deadline?: Deadline): Promise<ZoneMark> {
    // The list, filtered by one name: a single zone would come with all its records.
    const path = `/zones?dnssec=false&zone=${encodeURIComponent(absoluteName(zone))}`
    const request: PowerDnsRequest = { method: 'GET', path, expect: [200], zone }
    const { json } = await this.api.send(request, deadline)
    if (!Array.isArray(json)) throw this.api.failed(request, 'its answer is not a list of zones', {})
    const found = json.map(fields).find(({ name }) => typeof name === 'string' && canonicalName(name) === zone)
    if (found === undefined) return 'missing'
    return this.#markFrom(typeof found['account'] === 'string' ? found['account'] : '')
  }

  async mark(zone: string, deadline?: Deadline): Promise<void> {
    await this.#change('PUT', zone, { soa_edit_api: 'INCREASE', account: this.ownMark }, deadline)
  }

  async inventory(zone: string, deadline?: Deadline): Promise<Inventory | undefined> {
    const existing = await this.#read(zone, deadline)
    const sets = existing?.sets.filter((set) => !isApex(zone, set))
    const parsed = sets?.flatMap((set) => {
      const { type } = set
      return isManaged(type) ? [parseRecords({ ...set, type })] : []
    })
    return (
      parsed && {
        rrsets: parsed.map(({ rrset }) => rrset),
        unreadable: parsed.flatMap(({ unreadable }) => unreadable),
        unmanaged: unmanagedOf(zone, existing),
      }
    )
  }

  async drift(zone: Zone): Promise<Drift> {
    const existing = await this.#read(zone.zone)
    const differences = this.#repairsOf(existing ?? emptyZone, zone)
    return {
      missing: existing === undefined,
      mark: existing === undefined ? 'missing' : this.#markFrom(existing.account),
      differences: differences.map(({ action, name, type }) => ({ action, name, type })),
      keepsSerial: existing !== undefined && !existing.increasesSerial,
      unmanaged: unmanagedOf(zone.zone, existing),
    }
  }

  async ping(): Promise<void> {
    await this.api.send({ method: 'GET', path: '', expect: [200] })
  }

  /** No-op: only idle connections are open, and they time out. */
  close = (): Promise<void> => Promise.resolve()

  #markFrom(account: string): ZoneMark {
    if (account === this.ownMark) return 'own'
    return account.startsWith(markPrefix) ? 'other' : 'none'
  }

  async #read(zone: string, deadline?: Deadline): Promise<ProviderZone | undefined> {
    const request: PowerDnsRequest = { method: 'GET', path: pathOf(zone), expect: [200, 404], zone }
    const { status, json } = await this.api.send(request, deadline)
    if (status === 404) return undefined
    const existing = parseZone(json)
    if (existing !== undefined) return existing
    throw this.api.failed(request, 'its answer is not a zone', {})
  }

  /** Keeps a serial that is ahead of svc's: secondaries ignore a zone with a lower serial. */
  #repairsOf({ sets, serial }: ProviderZone, zone: Zone): Repair[] {
    const wanted = {
      ...zone,
      serial: serial !== undefined && isNewerSerial(serial, zone.serial) ? serial : zone.serial,
    }
    return computeRepairs(sets, wantedRRsets(wanted, this.apex))
  }

  async #create(zone: string, wanted: readonly ProviderRRset[], deadline?: Deadline): Promise<void> {
    const [first = [], ...rest] = inBatches(wanted)
    const body = {
      name: absoluteName(zone),
      kind: 'Native',
      soa_edit_api: 'INCREASE',
      account: this.ownMark,
      rrsets: first.map(changeOf),
    }
    await this.api.send({ method: 'POST', path: '/zones?rrsets=false', body, expect: [201], zone }, deadline)
    try {
      for (const sets of rest) await this.#patch(zone, sets, deadline)
    } catch (error) {
      // Delete the incomplete zone, even if the deadline is over.
      await this.#change('DELETE', zone, undefined, Deadline.in(undoMs))
      throw error
    }
  }

  async #patch(zone: string, sets: readonly ProviderRRset[], deadline?: Deadline): Promise<void> {
    for (const batch of inBatches(sets)) await this.#change('PATCH', zone, { rrsets: batch.map(changeOf) }, deadline)
  }

  async #change(method: 'PATCH' | 'PUT' | 'DELETE', zone: string, body?: object, deadline?: Deadline): Promise<void> {
    const request = { method, path: pathOf(zone), expect: [204], zone }
    await this.api.send(body === undefined ? request : { ...request, body }, deadline)
  }
}

const emptyZone: ProviderZone = { sets: [], serial: undefined, increasesSerial: true, account: '' }

const unmanagedOf = (zone: string, existing: ProviderZone | undefined) =>
  (existing?.sets ?? [])
    .filter((set) => !isManaged(set.type) && !isApex(zone, set))
    .map(({ name, type }) => ({ name, type }))

const isRemoval = ({ contents }: ProviderRRset): boolean => contents.length === 0

const pathOf = (zone: string): string => `/zones/${encodeURIComponent(absoluteName(zone))}`
