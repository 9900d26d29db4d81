import type { Follower } from './zones/follower.js'

/** The answer of /healthz. Ages and times are in seconds; null without a value. */
export interface Health {
  /** Whether it serves, and the list of zones is not older than its SOA allows. */
  readonly ok: boolean
  readonly catalog: {
    readonly name: string
    readonly serial: number | null
    readonly age: number | null
    readonly expires_in: number | null
    /** Why it is not followed, or could not be asked for. */
    readonly problem: string | null
  }
  readonly zones: {
    readonly total: number
    /** Without a copy yet. */
    readonly pending: number
    readonly expired: number
    /** With an older serial than the primary's. */
    readonly behind: number
  }
  /** Since the primary last answered. */
  readonly primary: { readonly last_contact: number | null }
}

const seconds = (ms: number): number | null => (Number.isFinite(ms) ? Math.round(ms) / 1000 : null)

/** @param now on the clock of `performance.now()` */
export function healthOf({ catalog, members, catalogProblem, contactAt }: Follower, now: number): Health {
  const expiresIn = catalog.expiresAt - now
  const zones = { total: members.size, pending: 0, expired: 0, behind: 0 }
  for (const zone of members.values()) {
    if (!zone.hasCopy) zones.pending++
    else if (zone.map.isUnavailable) zones.expired++
    if (zone.behind > 0) zones.behind++
  }
  return {
    ok: catalog.hasCopy && !(catalogProblem !== undefined && members.size === 0) && expiresIn > 0,
    catalog: {
      name: catalog.name,
      serial: catalog.hasCopy ? catalog.map.serial >>> 0 : null,
      age: seconds(now - catalog.contactAt),
      expires_in: seconds(expiresIn),
      problem: catalogProblem ?? catalog.problem ?? null,
    },
    zones,
    primary: { last_contact: seconds(now - contactAt) },
  }
}
