import type { Account } from '../../http/handler.js'
import type { Dns, Zone } from '../../ports/dns/port.js'
import type { Claim, Claimed, ClaimStore } from './claim-store.js'
import type { Exclusively } from '../../db/in-turns.js'

export interface ServingOptions {
  readonly claims: ClaimStore
  readonly dns: Dns
  /** A zone as its rows have it; without RRsets where there are none yet. */
  readonly zoneContents: (zone: string) => Promise<Zone>
  /** What other writes to a provider share, so that none comes between. */
  readonly exclusively: Exclusively
}

/**
 * Claims that become verified, and the zones that are served from then on. Another's server is given the zone before the
 * commit: when it fails, nothing has changed here, and a zone it has for nobody is taken over by the next attempt. The
 * embedded nameserver is given it after the commit, as no one may see a zone that a failed commit takes back.
 */
export function claimServing({ claims, dns, zoneContents, exclusively }: ServingOptions) {
  async function embedded({ claim, newZone }: Claimed): Promise<Claim> {
    // Any other zone is being served, as its records were left.
    if (newZone !== undefined) await dns.setZone(newZone)
    return claim
  }

  /** What the provider holds of a zone it knows stays: it may be ahead of what was read here. */
  async function provide(zone: string): Promise<void> {
    if ((await dns.zone(zone)) === undefined) await dns.setZone(await zoneContents(zone))
  }

  return {
    /** @throws ApiError `upstream_error` when a provider fails, and nothing is claimed */
    async claim(account: Account, zone: string): Promise<Claim> {
      if (!dns.external) return embedded(await claims.claim(account, zone))
      return exclusively(zone, async () => {
        if (await claims.isFree(account, zone)) await provide(zone)
        return (await claims.claim(account, zone)).claim
      })
    },

    /** @throws ApiError `upstream_error` when a provider fails, and whoever had the zone still has it */
    async verified(account: Account, proven: Claim): Promise<Claim> {
      if (!dns.external) return embedded(await claims.verified(account, proven))
      return exclusively(proven.zone, async () => {
        await provide(proven.zone)
        return (await claims.verified(account, proven)).claim
      })
    },
  }
}
