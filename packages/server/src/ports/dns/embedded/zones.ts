import { countLabels, nextLabel } from '../wire/names.js'
import { isNewerSerial } from '../serial.js'
import type { ZoneMap } from './zone-map.js'

/** All zones that are served, by the keys of their names. */
export class Zones {
  private readonly byKey = new Map<string, ZoneMap>()
  /** The serials at which zones were removed, so that an overtaken load does not bring one back. */
  private readonly removed = new Map<string, number>()
  private mostLabels = 0

  /** The offset of the zone's name in the key of the last successful `find`. A field, so that `find` allocates nothing. */
  at = 0

  get size(): number {
    return this.byKey.size
  }

  get(key: string): ZoneMap | undefined {
    return this.byKey.get(key)
  }

  all(): IterableIterator<ZoneMap> {
    return this.byKey.values()
  }

  /** No-op for a zone that is older than its removal. @returns whether the zone is served now */
  set(zone: ZoneMap): boolean {
    const removedAt = this.removed.get(zone.key)
    if (removedAt !== undefined && !isNewerSerial(zone.serial, removedAt)) return false
    this.removed.delete(zone.key)
    this.byKey.set(zone.key, zone)
    this.mostLabels = Math.max(this.mostLabels, countLabels(zone.key))
    return true
  }

  /** Removes a zone that is a copy. It may come back with any serial. */
  forget(key: string): void {
    this.byKey.delete(key)
  }

  /** Removes a zone, unless it is newer than the removal. @returns whether it is not served now */
  remove(key: string, serial: number): boolean {
    const zone = this.byKey.get(key)
    if (zone !== undefined && isNewerSerial(zone.serial, serial)) return false
    this.byKey.delete(key)
    this.removed.set(key, serial)
    return true
  }

  /**
   * Finds the zone of a name: the one with the longest name that is a suffix of it. Sets `at`.
   * @param from offset in the key at which the search begins
   */
  find(key: string, from = 0): ZoneMap | undefined {
    let at = from
    // A name may have 127 labels: skip those that no zone's name is long enough for.
    for (let spare = countLabels(key, from) - this.mostLabels; spare > 0 && at < key.length; spare--)
      at = nextLabel(key, at)
    for (; at < key.length; at = nextLabel(key, at)) {
      const zone = this.byKey.get(at === 0 ? key : key.slice(at))
      if (zone !== undefined) {
        this.at = at
        return zone
      }
    }
    return undefined
  }
}
