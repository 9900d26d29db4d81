import type { Logger } from 'pino'
import { throttledLog } from '../../../shared/throttled-log.js'
import { Answerer, tcpMax } from '../embedded/answer.js'
import { ApexRecords } from '../embedded/apex-records.js'
import { rcode } from '../embedded/codes.js'
import { udpMax } from '../embedded/reply.js'
import { encodeRRsets } from '../embedded/stored.js'
import type { Journals } from '../embedded/zone-journal.js'
import { ZoneMap } from '../embedded/zone-map.js'
import { Zones } from '../embedded/zones.js'
import type { RRset } from '../port.js'
import type { Client } from '../protocol/messages.js'
import type { CatalogSettings } from '../transfers/options.js'
import { keyOf } from '../wire/names.js'
import { Members, type Member } from './members.js'

/** Changes of members within this time get one serial, in milliseconds. */
const coalesceMs = 250

/** Milliseconds until a serial is asked for again when the database fails. */
const retryMs = 1000

/** Octets that a signature may take in an answer. */
const signatureMax = 300

/** Secondaries must not be asked for the catalog by resolvers: it has no nameservers (RFC 9432, section 4). */
const apexSettings = { nameservers: ['invalid'], hostmaster: 'hostmaster@invalid' }

/** Its records are for secondaries, and no resolver caches them. */
const ttl = 0

export interface CatalogOptions extends CatalogSettings {
  readonly journals: Journals
  /** Called after the catalog has changed. */
  readonly onChange: (name: string) => void
  readonly log: Logger
}

/** The list of all zones that are served, as a zone that only the operator's secondaries see (RFC 9432). */
export class Catalog {
  readonly apex = new ApexRecords(apexSettings)
  readonly key: string
  private readonly zones = new Zones()
  private readonly answerer = new Answerer(this.zones, this.apex)
  private readonly members = new Members()
  /** The labels of the members that the catalog has now. */
  private readonly published = new Map<string, string>()
  /** Zones whose membership has changed since. */
  private readonly changed = new Set<string>()
  private timer: NodeJS.Timeout | undefined
  private publishing: Promise<void> | undefined
  private state: 'new' | 'started' | 'closed' = 'new'

  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(private readonly options: CatalogOptions) {
    this.key = keyOf(options.name)
    this.logFailure = throttledLog(options.log, 'the catalog of zones could not be published', { everyMs: 60_000 })
  }

  /** Undefined until it is published for the first time. */
  get zone(): ZoneMap | undefined {
    return this.zones.get(this.key)
  }

  set(member: Member): void {
    if (this.members.set(member)) this.note(member.zone)
  }

  delete(zone: string): void {
    if (this.members.delete(zone)) this.note(zone)
  }

  /** Publishes the catalog with the members so far, and follows their changes from now on. */
  start(): void {
    this.state = 'started'
    this.publishIn(0)
  }

  async close(): Promise<void> {
    this.state = 'closed'
    clearTimeout(this.timer)
    await this.publishing
  }

  /**
   * Answers a question about the catalog.
   * @param packet well-formed
   * @returns undefined for a question about another zone
   */
  answer(packet: Buffer, { transport }: Pick<Client, 'transport'>): Buffer | undefined {
    const limit = transport === 'tcp' ? tcpMax : udpMax - signatureMax
    const out = Buffer.alloc(limit)
    const length = this.answerer.answer(packet, out, 0, limit)
    return length === 0 || (out.readUInt8(3) & 0x0f) === rcode.refused ? undefined : out.subarray(0, length)
  }

  private note(zone: string): void {
    this.changed.add(zone)
    if (this.publishing === undefined) this.publishIn(coalesceMs)
  }

  private publishIn(ms: number): void {
    if (this.state !== 'started') return
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.publishing = this.publish()
        .then(
          () => coalesceMs,
          (error: unknown) => {
            this.logFailure(error)
            return retryMs
          },
        )
        .then((waitMs) => {
          this.publishing = undefined
          if (this.changed.size > 0 || this.zone === undefined) this.publishIn(waitMs)
        })
    }, ms)
  }

  private async publish(): Promise<void> {
    // Members that change during the call get the next serial: the digest is that of these changes.
    const changes = Array.from(this.changed, (zone) => [zone, this.members.labelOf(zone)] as const)
    this.changed.clear()
    try {
      await this.apply(changes)
    } catch (error) {
      for (const [zone] of changes) this.changed.add(zone)
      throw error
    }
    for (const [zone, label] of changes)
      if (label === undefined) this.published.delete(zone)
      else this.published.set(zone, label)
    this.options.onChange(this.options.name)
  }

  /** @param changes zones with their labels now; undefined for one that is no member any more */
  private async apply(changes: readonly (readonly [zone: string, label: string | undefined])[]): Promise<void> {
    const { name, serialOf } = this.options
    const serial = await serialOf(this.members.digest)
    const rrsets = changes.flatMap(([zone, label]) => this.change(zone, label))
    if (this.zone === undefined) await this.load(serial, rrsets)
    else this.zone.apply(serial, encodeRRsets(name, serial, rrsets), true)
  }

  private async load(serial: number, members: readonly RRset[]): Promise<void> {
    const { name, journals } = this.options
    const version: RRset = { name: `version.${name}`, type: 'TXT', ttl, records: [{ value: '2', priority: null }] }
    const map = await ZoneMap.load({ zone: name, serial, rrsets: [version, ...members] })
    map.record(journals)
    this.zones.set(map)
  }

  /** The RRsets of a zone whose label has changed. @param label undefined if it is no member any more */
  private change(zone: string, label: string | undefined): RRset[] {
    const before = this.published.get(zone)
    if (before === label) return []
    return [
      ...(before === undefined ? [] : [this.pointer(before)]),
      ...(label === undefined ? [] : [this.pointer(label, zone)]),
    ]
  }

  /** @param zone undefined to remove the record */
  private pointer(label: string, zone?: string): RRset {
    const records = zone === undefined ? [] : [{ value: zone, priority: null }]
    return { name: `${label}.zones.${this.options.name}`, type: 'PTR', ttl, records }
  }
}
