import type { Account } from '../../../shared/account.js'
import { isProvider, type Dns } from '../../../ports/dns/port.js'
import type { Claim } from '../claims/claim.js'
import type { Claimed, ClaimStore } from '../claims/store.js'
import { ProviderClaims, type ProviderClaimOptions } from './before-commit-claims.js'

export interface ServingOptions extends Omit<ProviderClaimOptions, 'provider'> {
  readonly claims: ClaimStore
  readonly dns: Dns
  /** Whether a zone counts as claimed by the operator. */
  readonly heldByOperator: (zone: string) => boolean
}

/** The server of zones (nameserver or provider), as claims use it. */
export interface ClaimServing {
  /** @throws ApiError `upstream_error` when a provider fails; the zone is not claimed then */
  claim(account: Account, zone: string): Promise<Claim>

  /** @throws ApiError `upstream_error` when a provider fails; the former holder keeps the zone then */
  verified(account: Account, proven: Claim): Promise<Claim>

  /** The operator gives the zone to the account. @throws ApiError `upstream_error` when a provider fails, as above */
  assign(account: Account, zone: string): Promise<Claim>
}

/** Claims that become verified, and the zones that are served from then on. */
export function claimServing({ dns, heldByOperator, ...options }: ServingOptions): ClaimServing {
  return isProvider(dns)
    ? new ProviderClaims({ ...options, heldByOperator, provider: dns })
    : embeddedClaims({ ...options, heldByOperator, dns })
}

/** The embedded nameserver loads a zone after the commit, so that a zone of a failed commit is never served. */
function embeddedClaims({ claims, dns, zones, heldByOperator }: Omit<ServingOptions, 'adoptions'>): ClaimServing {
  async function serve({ claim, isNewlyVerified }: Claimed): Promise<Claim> {
    if (isNewlyVerified) await dns.setZone(await zones.contents(claim.zone))
    return claim
  }
  return {
    claim: async (account, zone) => serve(await claims.claim(account, zone, { heldByOperator: heldByOperator(zone) })),
    verified: async (account, proven) =>
      serve(await claims.verified(account, proven, { heldByOperator: heldByOperator(proven.zone) })),
    assign: async (account, zone) => serve(await claims.assign(account, zone)),
  }
}
