import type { Account } from '../../http/handler.js'
import type { Dns } from '../../ports/dns/port.js'
import type { Claim, Claimed, ClaimStore } from './claim-store.js'
import type { NotGivenBack } from './provider-writer.js'
import type { WithZoneLock, WriteTime } from './zone-lock.js'
import type { ZoneStore } from './zone-store.js'

export interface ServingOptions {
  readonly claims: ClaimStore
  readonly dns: Dns
  readonly zones: Pick<ZoneStore, 'contents' | 'contentsFor'>
  /** What other writes to a provider share, so that none comes between. */
  readonly withZoneLock: WithZoneLock
  readonly notGivenBack: NotGivenBack
  /** Whether a zone counts as claimed by the operator. */
  readonly heldByOperator: (zone: string) => boolean
}

/**
 * Claims that become verified, and the zones that are served from then on. An external provider gets the records of the
 * new holder before the commit, under the zone's lock; if either fails, it gets back what it had. A zone that it did not
 * have stays there, and the next attempt uses it. The embedded nameserver gets the zone after the commit, as no one may
 * see a zone that a failed commit takes back.
 */
export function claimServing({ claims, dns, zones, withZoneLock, notGivenBack, heldByOperator }: ServingOptions) {
  async function embedded({ claim, isNewlyVerified }: Claimed): Promise<Claim> {
    if (isNewlyVerified) await dns.setZone(await zones.contents(claim.zone))
    return claim
  }

  /** Serves what the account has in the zone, then commits that the zone is verified for it. */
  async function provided(
    zone: string,
    account: Account,
    commit: () => Promise<Claimed>,
    time: WriteTime,
  ): Promise<Claim> {
    const held = await dns.zone(zone, time.work)
    const { isSwitch, ...next } = await zones.contentsFor(zone, account)
    // What the provider has of a zone that is not switched stays: it may be ahead of what was read here.
    if (held !== undefined && !isSwitch) return (await commit()).claim
    const before = await zones.contents(zone)
    const restore = async () => {
      if (held !== undefined)
        await dns.setZone(before, time.restore).catch((failure: unknown) => notGivenBack(zone, failure))
    }
    try {
      await dns.setZone(next, time.work)
      const { claim } = await commit()
      // The claim changed meanwhile: it has been released, or asks for another value.
      if (claim.status !== 'verified') await restore()
      return claim
    } catch (error) {
      await restore()
      throw error
    }
  }

  return {
    /** @throws ApiError `upstream_error` when a provider fails, and nothing is claimed */
    async claim(account: Account, zone: string): Promise<Claim> {
      const terms = { heldByOperator: heldByOperator(zone) }
      const commit = () => claims.claim(account, zone, terms)
      if (!dns.external) return embedded(await commit())
      return withZoneLock(zone, async (time) =>
        (await claims.isFree(account, zone, terms)) ? provided(zone, account, commit, time) : (await commit()).claim,
      )
    },

    /** @throws ApiError `upstream_error` when a provider fails, and whoever had the zone still has it */
    async verified(account: Account, proven: Claim): Promise<Claim> {
      const terms = { heldByOperator: heldByOperator(proven.zone) }
      const commit = () => claims.verified(account, proven, terms)
      if (!dns.external) return embedded(await commit())
      return withZoneLock(proven.zone, (time) => provided(proven.zone, account, commit, time))
    },

    /** The operator gives the zone to the account. @throws ApiError `upstream_error` when a provider fails, as above */
    async assign(account: Account, zone: string): Promise<Claim> {
      const commit = () => claims.assign(account, zone)
      if (!dns.external) return embedded(await commit())
      return withZoneLock(zone, (time) => provided(zone, account, commit, time))
    },
  }
}
