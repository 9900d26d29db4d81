import { ApiError } from '@svc/contract/errors'
import type { Deadline } from '../../../ports/dns/deadline.js'
import { suffixesOf } from '../../../ports/dns/domain-names.js'
import type { DnsProvider } from '../../../ports/dns/port.js'
import type { ZoneStore } from './zone-store.js'

/** Zones of an external provider without a mark of this installation and without a row in its database. */
export function foreignZones(provider: DnsProvider, zones: Pick<ZoneStore, 'has'>) {
  async function has(zone: string, deadline: Deadline | undefined): Promise<boolean> {
    if (await zones.has(zone)) return false
    const mark = await provider.markOf(zone, deadline)
    return mark === 'none' || mark === 'other'
  }
  return {
    has,

    /** Whether the zone or one above it is foreign: a new zone there would take its names from it. */
    async hasAtOrAbove(zone: string, deadline: Deadline | undefined): Promise<boolean> {
      if (await has(zone, deadline)) return true
      const above = suffixesOf(zone).slice(1)
      try {
        return (await Promise.all(above.map((name) => has(name, deadline)))).includes(true)
      } catch (error) {
        // The caller asked for this zone, not for those above it.
        throw error instanceof ApiError ? new ApiError(error.code, error.message, { zone }) : error
      }
    },
  }
}
