import type { Logger } from 'pino'
import { ApiError } from '@svc/contract/errors'
import type { ApexSettings } from '../apex.js'
import { Deadline } from '../deadline.js'
import type { DnsProvider, Drift, Inventory, RRset, Zone, ZoneChange, ZoneMark } from '../port.js'
import { inBatches } from './batches.js'
import { absoluteName, canonicalName } from '../presentation/name.js'
import { isNewer, repairs, type Repair } from './drift.js'
import { PowerDnsApi, type PowerDnsRequest } from './powerdns-api.js'
import {
  changeOf,
  fields,
  heldOf,
  isApex,
  isManaged,
  parseSet,
  readZone,
  rrsetOf,
  wantedSets,
  type Held,
  type HeldZone,
} from './zone-document.js'

export interface PowerDnsOptions extends ApexSettings {
  /** Of its HTTP API: scheme, host and port. */
  readonly url: string
  readonly key: string
  /** Milliseconds that one request takes at most; a call of the port makes one or two, a zone of many megabytes more. */
  readonly deadlineMs?: number
  readonly log: Logger
  /** The id of this installation: at most 36 characters. */
  readonly installation: string
}

const markPrefix = 'svc-'

const failure = 'The DNS provider failed:'

const deadlineDefaultMs = 5_000

/** Milliseconds for deleting a zone that could be created only in part. */
const undoMs = 3_000

/**
 * Zones in a PowerDNS, through its HTTP API. They are of kind Native: the database behind it is shared by its servers.
 * The SOA serial is PowerDNS's own, moved by each change (SOA-EDIT-API INCREASE), also by one that is taken back. RRsets
 * of types that svc does not manage (ALIAS, TLSA …) are left alone.
 */
export async function powerdnsDns(options: PowerDnsOptions): Promise<DnsProvider> {
  const { url, key, log, deadlineMs = deadlineDefaultMs } = options
  return new PowerDns(new PowerDnsApi({ url, key, log, deadlineMs }), options, markPrefix + options.installation)
}

class PowerDns implements DnsProvider {
  readonly external = true

  constructor(
    private readonly api: PowerDnsApi,
    private readonly apex: ApexSettings,
    /** The `account` of the zones that this installation makes: at most 40 characters. */
    private readonly ownMark: string,
  ) {}

  async setZone(zone: Zone, deadline?: Deadline): Promise<void> {
    const held = await this.#read(zone.zone, deadline)
    if (held === undefined) return this.#create(zone.zone, wantedSets(zone, this.apex), deadline)
    const mark = this.#mark(held.account)
    if (mark === 'other')
      throw new ApiError('upstream_error', `${failure} the zone is marked as another installation's.`, {
        zone: zone.zone,
      })
    if (!held.movesSerial || mark === 'none') await this.mark(zone.zone, deadline)
    const sets = this.#repairs(held, zone).map(({ set }) => set)
    await this.#patch(zone.zone, sets, deadline)
  }

  async publish({ zone, rrsets }: ZoneChange, deadline?: Deadline): Promise<void> {
    const sets = rrsets.map(heldOf)
    // Removals first: a CNAME may take the place of what goes.
    const body = { rrsets: [...sets.filter(isGone), ...sets.filter((set) => !isGone(set))].map(changeOf) }
    await this.#change('PATCH', zone, body, deadline)
  }

  async zone(name: string, deadline?: Deadline): Promise<readonly RRset[] | undefined> {
    const held = await this.#read(name, deadline)
    return held?.sets.flatMap((set) => {
      const { type } = set
      return isApex(name, set) || !isManaged(type) ? [] : [rrsetOf({ ...set, type })]
    })
  }

  async zoneNames(): Promise<readonly string[]> {
    const request: PowerDnsRequest = { method: 'GET', path: '/zones?dnssec=false', expect: [200] }
    const { json } = await this.api.send(request)
    const names = Array.isArray(json) ? json.map((zone) => fields(zone)['name']) : [undefined]
    if (names.every((name) => typeof name === 'string')) return names.map(canonicalName)
    throw this.api.failed(request, 'its answer is no list of zones', {})
  }

  async markOf(zone: string, deadline?: Deadline): Promise<ZoneMark> {
    // The list, narrowed to one zone: a zone by itself comes with all of its records.
    const path = `/zones?dnssec=false&zone=${encodeURIComponent(absoluteName(zone))}`
    const request: PowerDnsRequest = { method: 'GET', path, expect: [200], zone }
    const { json } = await this.api.send(request, deadline)
    if (!Array.isArray(json)) throw this.api.failed(request, 'its answer is no list of zones', {})
    const found = json.map(fields).find(({ name }) => typeof name === 'string' && canonicalName(name) === zone)
    if (found === undefined) return 'missing'
    return this.#mark(typeof found['account'] === 'string' ? found['account'] : '')
  }

  async mark(zone: string, deadline?: Deadline): Promise<void> {
    await this.#change('PUT', zone, { soa_edit_api: 'INCREASE', account: this.ownMark }, deadline)
  }

  async inventory(zone: string, deadline?: Deadline): Promise<Inventory | undefined> {
    const held = await this.#read(zone, deadline)
    const sets = held?.sets.filter((set) => !isApex(zone, set))
    const parsed = sets?.flatMap((set) => {
      const { type } = set
      return isManaged(type) ? [parseSet({ ...set, type })] : []
    })
    return (
      parsed && {
        rrsets: parsed.map(({ rrset }) => rrset),
        unreadable: parsed.flatMap(({ unreadable }) => unreadable),
        unmanaged: unmanagedOf(zone, held),
      }
    )
  }

  async drift(zone: Zone): Promise<Drift> {
    const held = await this.#read(zone.zone)
    const differences = this.#repairs(held ?? nothing, zone)
    return {
      missing: held === undefined,
      mark: held === undefined ? 'missing' : this.#mark(held.account),
      differences: differences.map(({ action, name, type }) => ({ action, name, type })),
      keepsSerial: held !== undefined && !held.movesSerial,
      unmanaged: unmanagedOf(zone.zone, held),
    }
  }

  async ping(): Promise<void> {
    await this.api.send({ method: 'GET', path: '', expect: [200] })
  }

  /** Nothing is held open but connections that wait for the next request, and end by themselves. */
  close = (): Promise<void> => Promise.resolve()

  #mark(account: string): ZoneMark {
    if (account === this.ownMark) return 'own'
    return account.startsWith(markPrefix) ? 'other' : 'none'
  }

  async #read(zone: string, deadline?: Deadline): Promise<HeldZone | undefined> {
    const request: PowerDnsRequest = { method: 'GET', path: pathOf(zone), expect: [200, 404], zone }
    const { status, json } = await this.api.send(request, deadline)
    if (status === 404) return undefined
    const held = readZone(json)
    if (held !== undefined) return held
    throw this.api.failed(request, 'its answer is no zone', {})
  }

  /** A serial that is ahead stays: secondaries take no step back. */
  #repairs({ sets, serial }: HeldZone, zone: Zone): Repair[] {
    const wanted = { ...zone, serial: serial !== undefined && isNewer(serial, zone.serial) ? serial : zone.serial }
    return repairs(sets, wantedSets(wanted, this.apex))
  }

  async #create(zone: string, wanted: readonly Held[], deadline?: Deadline): Promise<void> {
    const [first = [], ...rest] = inBatches(wanted)
    const body = {
      ...{ name: absoluteName(zone), kind: 'Native', soa_edit_api: 'INCREASE', account: this.ownMark },
      rrsets: first.map(changeOf),
    }
    await this.api.send({ method: 'POST', path: '/zones?rrsets=false', body, expect: [201], zone }, deadline)
    try {
      for (const sets of rest) await this.#patch(zone, sets, deadline)
    } catch (error) {
      // Delete a zone that could be created only in part, even if the deadline is over.
      await this.#change('DELETE', zone, undefined, Deadline.in(undoMs))
      throw error
    }
  }

  async #patch(zone: string, sets: readonly Held[], deadline?: Deadline): Promise<void> {
    for (const batch of inBatches(sets)) await this.#change('PATCH', zone, { rrsets: batch.map(changeOf) }, deadline)
  }

  async #change(method: 'PATCH' | 'PUT' | 'DELETE', zone: string, body?: object, deadline?: Deadline): Promise<void> {
    const request = { method, path: pathOf(zone), expect: [204], zone }
    await this.api.send(body === undefined ? request : { ...request, body }, deadline)
  }
}

const nothing: HeldZone = { sets: [], serial: undefined, movesSerial: true, account: '' }

const unmanagedOf = (zone: string, held: HeldZone | undefined) =>
  (held?.sets ?? [])
    .filter((set) => !isManaged(set.type) && !isApex(zone, set))
    .map(({ name, type }) => ({ name, type }))

const isGone = ({ contents }: Held): boolean => contents.length === 0

const pathOf = (zone: string): string => `/zones/${encodeURIComponent(absoluteName(zone))}`
