import type { Logger } from 'pino'
import { throttledLog } from '../../shared/throttled-log.js'
import { TimeSlices } from '../../shared/time-slices.js'
import { isNewerSerial } from '../../ports/dns/serial.js'
import type { Zones } from '../../ports/dns/embedded/zones.js'
import { BrokenCatalog, membersOf, type Members } from '../catalog/catalog.js'
import type { Limits } from '../limits.js'
import type { Primary } from '../primary/primary.js'
import type { SavedZone, ZoneStore } from '../store/zone-store.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import { buildZone, changeZone } from './build.js'
import { FollowedZone } from './followed-zone.js'
import type { OpenZones } from './open-zones.js'

/** The catalog is asked for at least this often: new zones appear soon, also without NOTIFY. One packet. */
const catalogMaxMs = 60_000

/** Milliseconds between two questions about one zone that NOTIFY causes: its sender may be forged. */
const notifyMs = 200

const olderSerial = 'The primary has an older serial than the copy, as after the restore of a backup.'

export interface FollowerOptions {
  /** The name of the catalog zone, in lower case, without a trailing dot. */
  readonly catalog: string
  /** The zones that are served. */
  readonly zones: Zones
  readonly primary: Primary
  readonly store: ZoneStore
  readonly openZones: OpenZones
  readonly limits: Limits
  readonly log: Logger
}

/** Follows the catalog of the primary and all zones that it lists. */
export class Follower {
  readonly catalog: FollowedZone
  readonly members = new Map<string, FollowedZone>()
  /** Why the last catalog of the primary is not followed; undefined if it is. */
  catalogProblem: string | undefined
  /** When the primary last answered, on the clock of `performance.now()`. */
  contactAt = -Infinity
  private readonly waiting = new Set<FollowedZone>()
  private running = 0
  private isClosed = false
  private timer: NodeJS.Timeout | undefined
  private readonly logFailure: ReturnType<typeof throttledLog>
  private readonly logOlder: ReturnType<typeof throttledLog>
  /** All zones expire at once, and one with EXPIRE 0 after each contact. */
  private readonly logExpired: ReturnType<typeof throttledLog>

  constructor(private readonly options: FollowerOptions) {
    const { catalog, limits, openZones } = options
    this.catalog = new FollowedZone(catalog, '', { ...limits, intervalMaxMs: catalogMaxMs }, openZones)
    this.logFailure = throttledLog(options.log, 'a zone cannot be transferred')
    this.logOlder = throttledLog(options.log, 'a copy is not replaced')
    this.logExpired = throttledLog(options.log, 'a copy has expired and is answered with SERVFAIL')
  }

  /** Takes over the saved copies: those that the saved catalog lists, or all without one that can be followed. */
  async restore(saved: readonly SavedZone[]): Promise<void> {
    const now = performance.now()
    const { catalog, options } = this
    const own = saved.find(({ name, member }) => member === '' && name === catalog.name)
    if (own !== undefined) catalog.adopt(own.map, now - own.ageMs)
    const isFollowed = own !== undefined && (await this.followCatalog())
    for (const { name, member, map, ageMs } of saved) {
      if (member === '') continue
      const listed = this.members.get(map.key)
      if (isFollowed && listed?.member !== member) {
        if (listed === undefined) options.store.remove(name)
        continue
      }
      const zone = listed ?? this.add(name, member)
      zone.adopt(map, now - ageMs)
      options.zones.set(map)
    }
    this.expire(now)
  }

  /** Begins to ask the primary. */
  start(): void {
    this.ask(this.catalog)
    for (const zone of this.members.values()) this.ask(zone)
    this.timer = setInterval(() => {
      this.tick()
    }, this.options.limits.tickMs)
  }

  /** @param key of the zone that has changed, as a NOTIFY says @returns false for an unknown zone */
  notify(key: string): boolean {
    const zone = key === this.catalog.key ? this.catalog : this.members.get(key)
    if (zone === undefined) return false
    const now = performance.now()
    if (zone.isBusy) zone.isWanted = true
    else if (now - zone.askedAt >= notifyMs) this.ask(zone)
    else zone.dueAt = Math.min(zone.dueAt, zone.askedAt + notifyMs)
    return true
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.waiting.clear()
  }

  private tick(): void {
    const now = performance.now()
    this.expire(now)
    if (this.catalog.dueAt <= now) this.ask(this.catalog)
    for (const zone of this.members.values()) if (zone.dueAt <= now) this.ask(zone)
  }

  /** Stops to serve copies that are too old (RFC 1035, section 3.3.13). */
  private expire(now: number): void {
    for (const zone of this.members.values()) {
      if (!zone.hasCopy || zone.expiresAt > now || zone.map.isUnavailable) continue
      zone.map.isUnavailable = true
      this.logExpired(new RefusedAnswer('The primary has not confirmed it in time.'), { zone: zone.name })
    }
  }

  private ask(zone: FollowedZone): void {
    if (zone.isBusy || this.isClosed) return
    if (zone === this.catalog) {
      void this.run(zone)
      return
    }
    this.waiting.add(zone)
    this.runNext()
  }

  private runNext(): void {
    for (const zone of this.waiting) {
      if (this.running >= this.options.limits.polls) return
      this.waiting.delete(zone)
      this.running++
      void this.run(zone).finally(() => {
        this.running--
        this.runNext()
      })
    }
  }

  /** Asks the primary for a zone. Never rejects. */
  private async run(zone: FollowedZone): Promise<void> {
    if (zone.isRemoved || zone.isBusy) return
    zone.isBusy = true
    zone.isWanted = false
    zone.askedAt = performance.now()
    const wasFailing = zone.failures > 0
    try {
      await this.refresh(zone)
      this.contactAt = performance.now()
      zone.confirm(this.contactAt)
      // NOTIFY may have been lost while the primary was away.
      if (wasFailing && zone === this.catalog) for (const member of this.members.values()) this.ask(member)
    } catch (error) {
      if (this.isClosed) return
      zone.fail(performance.now(), error instanceof Error ? error.message : String(error))
      this.logFailure(error, { zone: zone.name })
    } finally {
      zone.isBusy = false
      if (this.isWanted(zone)) zone.dueAt = zone.askedAt + notifyMs
    }
  }

  /** Whether a NOTIFY has come since the question to the primary. */
  private isWanted({ isWanted }: FollowedZone): boolean {
    return isWanted
  }

  /** Whether the catalog has removed the zone since the question to the primary. */
  private isRemoved({ isRemoved }: FollowedZone): boolean {
    return isRemoved
  }

  private async refresh(zone: FollowedZone): Promise<void> {
    const { primary, store, log } = this.options
    if (zone.hasCopy) {
      zone.primarySerial = await primary.serial(zone.key)
      if (!isNewerSerial(zone.primarySerial, zone.map.serial)) {
        if (zone.primarySerial !== zone.map.serial) this.logOlder(new RefusedAnswer(olderSerial), { zone: zone.name })
        if (zone !== this.catalog || this.catalogProblem === undefined) store.confirm(zone)
        return
      }
    }
    const isApplied = await this.transfer(zone)
    if (!isApplied) return
    log.debug({ zone: zone.name, serial: zone.map.serial >>> 0 }, 'a zone was transferred')
    if (zone !== this.catalog || (await this.followCatalog())) store.save(zone)
  }

  /** @returns whether the copy has changed */
  private async transfer(zone: FollowedZone): Promise<boolean> {
    const { primary, zones, openZones } = this.options
    const transferred = await primary.transfer(zone.key, zone.hasCopy ? zone.map : undefined)
    zone.primarySerial = transferred.serial
    if (this.isRemoved(zone) || this.isClosed || transferred.kind === 'current') return false
    const { kind, serial, draft } = transferred
    if (kind === 'changes') {
      changeZone(zone.map, serial, draft)
      return true
    }
    const map = await buildZone(zone.name, serial, draft, openZones)
    if (this.isRemoved(zone)) return false
    zone.adopt(map, performance.now())
    if (zone !== this.catalog) zones.set(map)
    return true
  }

  /** @returns false if the catalog is broken: the last good list stays */
  private async followCatalog(): Promise<boolean> {
    const { log } = this.options
    try {
      const members = await membersOf(this.catalog.map)
      if (this.catalogProblem !== undefined) log.info('the catalog can be followed again')
      this.catalogProblem = undefined
      await this.follow(members)
      return true
    } catch (error) {
      if (!(error instanceof BrokenCatalog)) throw error
      this.catalogProblem = error.message
      log.error(
        { reason: error.message },
        'the catalog is broken and is not followed: the zones of the last good one stay',
      )
      return false
    }
  }

  private async follow({ byKey, leftOut }: Members): Promise<void> {
    const { log } = this.options
    if (leftOut.length > 0) log.warn({ zones: leftOut.slice(0, 10) }, 'zones of the catalog cannot be served')
    const slices = new TimeSlices()
    for (const [key, zone] of this.members) {
      if (slices.isOver) await slices.next()
      const member = byKey.get(key)
      // Another label is another zone of the same name, such as that of a new owner (RFC 9432, section 5.4).
      if (member?.id !== zone.member) this.remove(zone)
    }
    for (const [key, { name, id }] of byKey) {
      if (slices.isOver) await slices.next()
      if (!this.members.has(key)) this.add(name, id)
    }
  }

  private add(name: string, member: string): FollowedZone {
    const { limits, openZones } = this.options
    const zone = new FollowedZone(name, member, limits, openZones)
    this.members.set(zone.key, zone)
    // Without a copy it answers SERVFAIL, so that a zone above it does not answer NXDOMAIN.
    this.options.zones.set(zone.map)
    if (this.timer !== undefined) this.ask(zone)
    return zone
  }

  private remove(zone: FollowedZone): void {
    zone.isRemoved = true
    this.members.delete(zone.key)
    this.waiting.delete(zone)
    this.options.zones.forget(zone.key)
    this.options.store.remove(zone.name)
  }
}
