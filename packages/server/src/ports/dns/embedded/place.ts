import type { ZoneMap } from './zone-map.js'

/** The name that a query has reached, and the offsets in the message at which it and its zone's name are written. */
export interface Place {
  zone: ZoneMap
  /** Relative to the zone. */
  key: string
  owner: number
  apex: number
}
