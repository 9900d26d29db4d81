import { setImmediate as nextTurn } from 'node:timers/promises'
import { challengeLabel } from '../challenge.js'
import { isReverse } from '../domain-names.js'
import type { RRset, Zone } from '../port.js'
import { isNewerSerial } from '../serial.js'
import { typeCode } from './codes.js'
import { keyOf, nextLabel } from '../wire/names.js'
import { AppliedSerials } from './applied-serials.js'
import { decodeRRset, encodeRRsets, ofType, type Placed, type Stored } from './stored.js'
import { isSame, ZoneJournal, type Change, type Journals } from './zone-journal.js'

/** Lifetime of a tombstone in milliseconds: longer than the delay of most overtaken changes. */
const tombstoneMs = 60_000

/** Maximum number of tombstones in a zone. */
const tombstonesMax = 256

/** Maximum number of RRsets that are encoded in one turn of the event loop: about 2 ms. */
const rrsetsPerTurn = 1000

const asterisk = '\x01*'

const challengeKey = keyOf(challengeLabel)

const isChallenge = (key: string): boolean => key.startsWith(challengeKey)

/** A removed RRset, remembered so that an overtaken change does not bring it back. */
interface Tombstone {
  readonly key: string
  readonly type: number
  readonly serial: number
  /** When the RRset was removed, on the clock of `performance.now()`. */
  readonly at: number
}

/** RRsets with their names, at the same index of both lists. */
export interface ZoneSnapshot {
  readonly keys: readonly string[]
  readonly sets: readonly Stored[]
}

/** The SOA and NS of a zone that is a copy of another nameserver's. */
export interface OwnApex {
  readonly soa: Stored
  /** Undefined if the zone has none, which is an error of the other nameserver. */
  readonly ns: Stored | undefined
}

/** Collections of zones that need none, which are most: an empty one takes 200 octets. Replaced before something is added. */
const noNodes = new Map<string, Stored>()
const noNames = new Map<string, number>()
const noCuts = new Set<string>()
const noTombstones = new Map<string, Tombstone>()

/** One zone in memory. Keys of names are relative to its apex. */
export class ZoneMap {
  readonly key: string
  readonly isReverse: boolean
  serial: number
  /** Id of the account that holds the zone; null while it is released. */
  readonly holder: number | null
  /** The place of its counts, and the period that they are of (query-counter.ts). */
  countsAt = 0
  countedIn = 0
  /** Id of the account whose records are served, also while the zone is released; null for none. */
  owner: number | null = null
  /** Whether questions are answered with SERVFAIL: a copy that has not arrived yet, or is too old. */
  isUnavailable = false
  /** The first RRset of each name. */
  private nodes = noNodes
  /** The number of names below a name. A name that is only here is an empty non-terminal (RFC 4592, section 2.2.2). */
  private below: Map<string, number> = noNames
  /** The names of delegations (zone cuts, RFC 2181, section 6). */
  private cuts: Set<string> = noCuts
  private wildcards = 0
  /** The serial of the last load of the whole zone, which reflects all older changes. */
  private readonly loaded: number
  /** The newest serial of a dropped tombstone, at first `loaded`. A change that is not newer could bring a removed RRset back. */
  private droppedTombstone: number
  /** RRsets that were removed recently, the oldest removal first. */
  private tombstones: Map<string, Tombstone> = noTombstones
  private readonly applied: AppliedSerials
  private journal: ZoneJournal | undefined

  /** @param latest the contents may already have changes up to this serial */
  constructor(
    readonly name: string,
    serial: number,
    holder: number | null = null,
    latest = serial,
  ) {
    this.key = keyOf(name)
    this.isReverse = isReverse(name)
    this.serial = this.loaded = this.droppedTombstone = serial | 0
    this.holder = holder
    this.applied = new AppliedSerials(serial | 0, latest | 0)
  }

  /** @param onUnservable called for each RRset that cannot be encoded, which is then left out; without it, such an RRset throws */
  static of(zone: Zone, onUnservable?: (set: RRset, error: unknown) => void): ZoneMap {
    const map = ZoneMap.empty(zone)
    map.add(zone.rrsets, onUnservable)
    return map
  }

  private static empty({ zone, serial, holder = null, owner = holder, latest = serial }: Zone): ZoneMap {
    const map = new ZoneMap(zone, serial, holder, latest)
    map.owner = owner
    return map
  }

  /**
   * Builds a zone while queries are answered: a large zone takes several turns of the event loop.
   * @param onUnservable as of `of`
   * @throws RangeError for a name that cannot be served
   */
  static async load(zone: Zone, onUnservable?: (set: RRset, error: unknown) => void): Promise<ZoneMap> {
    const { rrsets } = zone
    const map = ZoneMap.empty(zone)
    for (let at = 0; at < rrsets.length; at += rrsetsPerTurn) {
      if (at > 0) await nextTurn()
      map.add(rrsets.slice(at, at + rrsetsPerTurn), onUnservable)
    }
    return map
  }

  private add(rrsets: readonly RRset[], onUnservable?: (set: RRset, error: unknown) => void): void {
    for (const { key, set } of encodeRRsets(this.name, this.loaded, rrsets, onUnservable))
      if (set !== undefined) this.put(key, set)
  }

  /** The SOA and NS of a copy, which come with it; undefined in a zone of this server (ApexRecords). */
  get apex(): OwnApex | undefined {
    return undefined
  }

  /**
   * Whether an answer from this zone may contain data of another zone. Zones of different accounts are treated as if different
   * nameservers served them, because any account can claim a name that it does not own.
   */
  mayQuote(other: ZoneMap): boolean {
    return other === this || (this.holder !== null && other.holder === this.holder)
  }

  /**
   * The first RRset at a name, also by a wildcard; null for an empty non-terminal, undefined for a nonexistent name. A challenge is
   * answered from no wildcard: its alias would give the zone to the account that controls the target.
   */
  node(key: string): Stored | null | undefined {
    const node = this.nodes.get(key)
    if (node !== undefined) return node
    if (key === '' || this.below.has(key)) return null
    return this.wildcards === 0 || isChallenge(key) ? undefined : this.wildcardFor(key)
  }

  /** The first RRset at a name, without wildcards; undefined if missing. */
  exact(key: string): Stored | undefined {
    return this.nodes.get(key)
  }

  /** The wildcard at the closest encloser of a name (RFC 4592, section 3.3.1). @returns the same as `node` */
  private wildcardFor(key: string): Stored | null | undefined {
    let at = nextLabel(key, 0)
    while (at < key.length && !this.nodes.has(key.slice(at)) && !this.below.has(key.slice(at))) at = nextLabel(key, at)
    const source = asterisk + key.slice(at)
    return this.nodes.get(source) ?? (this.below.has(source) ? null : undefined)
  }

  /** The offset in the key of the topmost delegation that the name is at or below; -1 without one. */
  cutOf(key: string): number {
    let topmost = -1
    if (this.cuts.size === 0) return topmost
    for (let at = 0; at < key.length; at = nextLabel(key, at)) if (this.cuts.has(key.slice(at))) topmost = at
    return topmost
  }

  /**
   * Applies a change, except to RRsets that have a newer one: an overtaken change does not bring old data back.
   * @param isNext whether the change follows the last one, although its serial does not
   * @returns false without effect if a dropped tombstone may be newer than the change: load the zone instead
   */
  apply(serial: number, changes: readonly Placed[], isNext = false): boolean {
    const isRecorded = this.journal?.begin(this.serial, this.isComplete) === true
    if (isRecorded)
      for (const { key, type } of changes) this.journal?.note(key, type, ofType(this.nodes.get(key), type))
    if (!this.place(serial, changes)) return false
    if (isNext) this.applied.jump(serial)
    else this.applied.add(serial)
    this.endDelta()
    return true
  }

  /** Whether the contents are exactly those of the serial: no earlier change is missing. */
  get isComplete(): boolean {
    return this.applied.isComplete
  }

  private endDelta(): void {
    if (this.isComplete) this.journal?.end(this.serial, (key) => this.nodes.get(key))
  }

  private place(serial: number, changes: readonly Placed[]): boolean {
    if (!isNewerSerial(serial, this.loaded)) return true
    const newer = changes.filter(({ key, type }) => !isNewerSerial(this.lastChange(key, type) ?? serial, serial))
    if (
      newer.some(
        ({ key, type }) => this.lastChange(key, type) === undefined && !isNewerSerial(serial, this.droppedTombstone),
      )
    )
      return false
    for (const { key, type, set } of newer) {
      this.tombstones.delete(idOf(key, type))
      if (set !== undefined) this.put(key, set)
      else {
        this.remove(key, type)
        if (this.tombstones === noTombstones) this.tombstones = new Map()
        this.tombstones.set(idOf(key, type), { key, type, serial: serial | 0, at: performance.now() })
      }
    }
    if (isNewerSerial(serial, this.serial)) this.serial = serial | 0
    this.dropTombstones()
    return true
  }

  /**
   * Applies a change of a copy. Its changes come from one nameserver in their order, so none can be overtaken.
   * @param serial of the zone after the change
   */
  update(serial: number, changes: readonly Placed[]): void {
    for (const { key, type, set } of changes)
      if (set === undefined) this.remove(key, type)
      else this.put(key, set)
    this.serial = serial | 0
  }

  /** The number of names with records. */
  protected get names(): number {
    return this.nodes.size
  }

  /** Drops all RRsets of a copy, which `update` can add again. */
  protected clear(): void {
    this.nodes = noNodes
    this.below = noNames
    this.cuts = noCuts
    this.wildcards = 0
  }

  /** The serial at which an RRset was set or removed; undefined if unknown. */
  private lastChange(key: string, type: number): number | undefined {
    return ofType(this.nodes.get(key), type)?.serial ?? this.tombstones.get(idOf(key, type))?.serial
  }

  private dropTombstones(): void {
    const now = performance.now()
    for (const [id, { serial, at }] of this.tombstones) {
      if (this.tombstones.size <= tombstonesMax && now - at < tombstoneMs) break
      this.tombstones.delete(id)
      if (isNewerSerial(serial, this.droppedTombstone)) this.droppedTombstone = serial
    }
  }

  /**
   * Merges the changes of the served zone that are newer than this load, so that this load can replace it.
   * @returns false if this load must not replace it: it is older than the last load, or than a dropped tombstone
   */
  mergeNewer(before: ZoneMap): boolean {
    if (isNewerSerial(before.droppedTombstone, this.loaded)) return false
    if (!isNewerSerial(before.serial, this.loaded)) return true
    for (const [key, node] of before.nodes)
      for (let set: Stored | undefined = node; set !== undefined; set = set.next)
        if (isNewerSerial(set.serial, this.loaded)) this.place(set.serial, [{ key, type: set.type, set: { ...set } }])
    for (const { key, type, serial } of before.tombstones.values()) this.place(serial, [{ key, type, set: undefined }])
    this.serial = before.serial
    this.applied.merge(before.applied)
    return true
  }

  /** Begins to record changes. */
  record(journals: Journals): void {
    this.journal = new ZoneJournal(journals)
  }

  /**
   * Records the differences to the contents that this load replaces, after `mergeNewer`. Those to the records of another account are not
   * kept: an incremental transfer would show them to the account that has the zone now.
   */
  recordAfter(before: ZoneMap): void {
    const { journal } = before
    if (before.owner !== this.owner) journal?.restart(before.serial)
    else if (journal?.begin(before.serial, before.isComplete) === true) {
      for (const [key, node] of before.nodes)
        for (let set: Stored | undefined = node; set !== undefined; set = set.next)
          if (!isSame(set, ofType(this.nodes.get(key), set.type))) journal.note(key, set.type, set)
      for (const [key, node] of this.nodes)
        for (let set: Stored | undefined = node; set !== undefined; set = set.next)
          if (ofType(before.nodes.get(key), set.type) === undefined) journal.note(key, set.type, undefined)
    }
    this.journal = journal
    this.endDelta()
  }

  /** The changes since a serial; undefined if they are not known. */
  changesSince(serial: number): readonly Change[] | undefined {
    return this.journal?.since(serial)
  }

  /** All RRsets as they are now: later changes do not alter them. Two lists are made faster than objects. */
  snapshot(): ZoneSnapshot {
    const keys: string[] = []
    const sets: Stored[] = []
    for (const [key, node] of this.nodes)
      for (let set: Stored | undefined = node; set !== undefined; set = set.next) {
        keys.push(key)
        sets.push(set)
      }
    return { keys, sets }
  }

  /** All RRsets of the zone, decoded. */
  rrsets(): RRset[] {
    const { keys, sets } = this.snapshot()
    return sets.map((set, index) => decodeRRset(this.name, keys[index] ?? '', set))
  }

  private put(key: string, set: Stored): void {
    // The NS at the apex are always the configured nameservers (ApexRecords).
    if (key === '' && set.type === typeCode.NS) return
    if (isChallenge(key) && (set.type === typeCode.CNAME || set.type === typeCode.NS)) return
    this.remove(key, set.type)
    const first = this.nodes.get(key)
    if (first === undefined) this.countName(key, 1)
    set.next = first
    if (this.nodes === noNodes) this.nodes = new Map()
    this.nodes.set(key, set)
    if (set.type !== typeCode.NS) return
    if (this.cuts === noCuts) this.cuts = new Set()
    this.cuts.add(key)
  }

  private remove(key: string, type: number): void {
    const first = this.nodes.get(key)
    if (ofType(first, type) === undefined) return
    if (type === typeCode.NS) this.cuts.delete(key)
    if (first?.type !== type) {
      let before = first
      while (before !== undefined && before.next?.type !== type) before = before.next
      if (before !== undefined) before.next = before.next?.next
    } else if (first.next !== undefined) {
      this.nodes.set(key, first.next)
    } else {
      this.nodes.delete(key)
      this.countName(key, -1)
    }
  }

  /** Counts an added or removed name at each name between it and the apex. */
  private countName(key: string, by: 1 | -1): void {
    if (key.includes(asterisk)) this.wildcards += by
    if (key === '') return
    if (this.below === noNames && nextLabel(key, 0) < key.length) this.below = new Map()
    for (let at = nextLabel(key, 0); at < key.length; at = nextLabel(key, at)) {
      const above = key.slice(at)
      const count = (this.below.get(above) ?? 0) + by
      if (count === 0) this.below.delete(above)
      else this.below.set(above, count)
    }
  }
}

const idOf = (key: string, type: number): string => `${type}${key}`
