import type { ZoneMap } from './zone-map.js'

/** The name that a query has reached, at first or by a CNAME chain. */
export interface Place {
  zone: ZoneMap
  /** Relative to the zone. */
  key: string
  /** The offset of the name in the message. */
  owner: number
  /** The offset of the zone's name in the message. */
  apex: number
}
