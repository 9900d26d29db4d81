import { setImmediate as nextTurn } from 'node:timers/promises'
import { isReverse } from '../domain-names.js'
import type { RRset, Zone } from '../port.js'
import { typeCode } from './codes.js'
import { keyOf, nextLabel } from '../wire/names.js'
import { restore, store, type Placed, type Stored } from './stored.js'

/** How long a removal is remembered: longer than most overtaken calls take. */
const rememberMs = 60_000

/** How many removals a zone remembers. */
const removalsMax = 256

/** How many RRsets are stored in one turn of the event loop: about 2 ms. */
const rrsetsPerTurn = 1000

const asterisk = '\x01*'

/** Serial number arithmetic (RFC 1982, section 3.2): whether `a` comes after `b`. */
export const isNewer = (a: number, b: number): boolean => ((a - b) | 0) > 0

/** One zone in memory. Keys are relative to its apex. */
export class ZoneMap {
  readonly key: string
  readonly isReverse: boolean
  serial: number
  /** Id of the account that holds the zone; null while it is released. */
  readonly holder: number | null
  /** The first RRset of each name. */
  private readonly nodes = new Map<string, Stored>()
  /** How many names lie below a name. Names that are only here are empty non-terminals (RFC 4592, section 2.2.2). */
  private readonly below = new Map<string, number>()
  /** Names that are delegated. */
  private readonly cuts = new Set<string>()
  private wildcards = 0
  /** The serial at which the zone was loaded as a whole: an older change is in it, or was undone before it. */
  private readonly loaded: number
  /** The newest removal that is no longer remembered; `loaded` at first. An older change may bring back what it removed. */
  private forgotten: number
  /** RRsets taken away not long ago, in that order. */
  private readonly removed = new Map<string, { key: string; type: number; serial: number; at: number }>()

  constructor(
    readonly name: string,
    serial: number,
    holder: number | null = null,
  ) {
    this.key = keyOf(name)
    this.isReverse = isReverse(name)
    this.serial = this.loaded = this.forgotten = serial | 0
    this.holder = holder
  }

  /** @param onUnservable is told of an RRset that cannot be served, which is then left out; without it such an RRset throws */
  static of(
    { zone, serial, holder = null, rrsets }: Zone,
    onUnservable?: (set: RRset, error: unknown) => void,
  ): ZoneMap {
    const map = new ZoneMap(zone, serial, holder)
    map.add(rrsets, onUnservable)
    return map
  }

  /** The same beside queries: a large zone is built in several turns of the event loop. @throws RangeError for a set that cannot be served */
  static async load({ zone, serial, holder = null, rrsets }: Zone): Promise<ZoneMap> {
    const map = new ZoneMap(zone, serial, holder)
    for (let at = 0; at < rrsets.length; at += rrsetsPerTurn) {
      if (at > 0) await nextTurn()
      map.add(rrsets.slice(at, at + rrsetsPerTurn))
    }
    return map
  }

  private add(rrsets: readonly RRset[], onUnservable?: (set: RRset, error: unknown) => void): void {
    for (const { key, set } of store(this.name, this.loaded, rrsets, onUnservable))
      if (set !== undefined) this.put(key, set)
  }

  /**
   * Whether an answer from this zone may contain data of the other one. Zones of different accounts count as served by
   * different nameservers: any account can claim a name that it does not own, and must not answer for the zones of others.
   */
  mayQuote(other: ZoneMap): boolean {
    return other === this || (this.holder !== null && other.holder === this.holder)
  }

  /** What is at a name: null for an empty non-terminal, undefined where there is nothing. */
  node(key: string): Stored | null | undefined {
    const node = this.nodes.get(key)
    if (node !== undefined) return node
    if (key === '' || this.below.has(key)) return null
    return this.wildcards === 0 ? undefined : this.synthesised(key)
  }

  /** What is at just this name. */
  exact(key: string): Stored | undefined {
    return this.nodes.get(key)
  }

  /** The wildcard at the closest encloser, if there is one (RFC 4592, section 3.3.1). */
  private synthesised(key: string): Stored | null | undefined {
    let at = nextLabel(key, 0)
    while (at < key.length && !this.nodes.has(key.slice(at)) && !this.below.has(key.slice(at))) at = nextLabel(key, at)
    const source = asterisk + key.slice(at)
    return this.nodes.get(source) ?? (this.below.has(source) ? null : undefined)
  }

  /** Where in the key the delegation begins that the name lies at or below, the topmost if several; -1 for none. */
  cutOf(key: string): number {
    let topmost = -1
    if (this.cuts.size === 0) return topmost
    for (let at = 0; at < key.length; at = nextLabel(key, at)) if (this.cuts.has(key.slice(at))) topmost = at
    return topmost
  }

  /**
   * Applies a change to RRsets that have no newer one: an overtaken change does not restore old data.
   * @returns false, and nothing is changed, where the removals are forgotten that may have overtaken it: load the zone instead
   */
  apply(serial: number, changes: readonly Placed[]): boolean {
    if (!isNewer(serial, this.loaded)) return true
    const newer = changes.filter(({ key, type }) => !isNewer(this.lastChange(key, type) ?? serial, serial))
    if (newer.some(({ key, type }) => this.lastChange(key, type) === undefined && !isNewer(serial, this.forgotten)))
      return false
    for (const { key, type, set } of newer) {
      this.removed.delete(idOf(key, type))
      if (set !== undefined) this.put(key, set)
      else {
        this.remove(key, type)
        this.removed.set(idOf(key, type), { key, type, serial: serial | 0, at: performance.now() })
      }
    }
    if (isNewer(serial, this.serial)) this.serial = serial | 0
    this.forget()
    return true
  }

  /** The serial at which an RRset was set or removed, as far as that is known. */
  private lastChange(key: string, type: number): number | undefined {
    return ofType(this.nodes.get(key), type)?.serial ?? this.removed.get(idOf(key, type))?.serial
  }

  private forget(): void {
    const now = performance.now()
    for (const [id, { serial, at }] of this.removed) {
      if (this.removed.size <= removalsMax && now - at < rememberMs) break
      this.removed.delete(id)
      if (isNewer(serial, this.forgotten)) this.forgotten = serial
    }
  }

  /**
   * Prepares a load of the zone to replace what was served before: changes that are newer than the load are kept.
   * @returns false where the load must not replace it: it is older than the last one, or than removals that are forgotten
   */
  takeOver(before: ZoneMap): boolean {
    if (isNewer(before.forgotten, this.loaded)) return false
    if (!isNewer(before.serial, this.loaded)) return true
    for (const [key, node] of before.nodes)
      for (let set: Stored | undefined = node; set !== undefined; set = set.next)
        if (isNewer(set.serial, this.loaded)) this.apply(set.serial, [{ key, type: set.type, set: { ...set } }])
    for (const { key, type, serial } of before.removed.values()) this.apply(serial, [{ key, type, set: undefined }])
    this.serial = before.serial
    return true
  }

  rrsets(): RRset[] {
    const all: RRset[] = []
    for (const [key, node] of this.nodes)
      for (let set: Stored | undefined = node; set !== undefined; set = set.next) all.push(restore(this.name, key, set))
    return all
  }

  private put(key: string, set: Stored): void {
    // The nameservers stand at the apex, whatever comes.
    if (key === '' && set.type === typeCode.NS) return
    this.remove(key, set.type)
    const first = this.nodes.get(key)
    if (first === undefined) this.count(key, 1)
    set.next = first
    this.nodes.set(key, set)
    if (set.type === typeCode.NS) this.cuts.add(key)
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
      this.count(key, -1)
    }
  }

  /** Keeps count of a name that comes or goes, at each name between it and the apex. */
  private count(key: string, by: 1 | -1): void {
    if (key.includes(asterisk)) this.wildcards += by
    if (key === '') return
    for (let at = nextLabel(key, 0); at < key.length; at = nextLabel(key, at)) {
      const above = key.slice(at)
      const count = (this.below.get(above) ?? 0) + by
      if (count === 0) this.below.delete(above)
      else this.below.set(above, count)
    }
  }
}

const idOf = (key: string, type: number): string => `${type}${key}`

/** The RRset of a type among those of one name. */
export function ofType(first: Stored | null | undefined, type: number): Stored | undefined {
  let set = first ?? undefined
  while (set !== undefined && set.type !== type) set = set.next
  return set
}
