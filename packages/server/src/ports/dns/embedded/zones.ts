import { countLabels, nextLabel } from '../wire/names.js'
import type { ZoneMap } from './zone-map.js'

/** All zones that are served, by the keys of their names. */
export class Zones {
  private readonly byKey = new Map<string, ZoneMap>()
  private mostLabels = 0

  /** Where, in the key that was looked for, the name of the zone begins that was found. */
  at = 0

  get(key: string): ZoneMap | undefined {
    return this.byKey.get(key)
  }

  set(zone: ZoneMap): void {
    this.byKey.set(zone.key, zone)
    this.mostLabels = Math.max(this.mostLabels, countLabels(zone.key))
  }

  /** The zone that a name belongs to: the one with the longest name that it ends in. Leaves `at` behind. */
  find(key: string, from = 0): ZoneMap | undefined {
    let at = from
    // Names may have 127 labels; no zone has.
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
