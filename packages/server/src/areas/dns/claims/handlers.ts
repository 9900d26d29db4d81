import type { Areas, Output } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import type { Resolver } from '../../../ports/resolver/port.js'
import { challengeName, isProven } from './proof.js'
import type { Publisher } from '../publisher.js'
import type { Claim } from './claim.js'
import type { ClaimStore } from './store.js'
import { forbiddenZone } from '../zones/verified-store.js'
import { pathZone, zoneName } from '../zones/name.js'

type Dns = Areas['dns']

type ClaimHandlers = Pick<Handlers<Dns>, 'zoneList' | 'zoneClaim' | 'zoneGet' | 'zoneVerify' | 'zoneRelease'>

interface ClaimParts {
  readonly claims: ClaimStore
  readonly publisher: Publisher
  readonly resolver: Resolver
  /** The nameservers that zones are delegated to: host names in lower case. */
  readonly nameservers: readonly string[]
  /** Whether a zone counts as claimed by the operator. */
  readonly heldByOperator: (zone: string) => boolean
}

/** Claims on zones: the state table of the specification, section 3. */
export function claimHandlers({ claims, publisher, resolver, nameservers, ...parts }: ClaimParts): ClaimHandlers {
  const termsOf = (zone: string) => ({ heldByOperator: parts.heldByOperator(zone) })

  /** The account's claim, pending or verified. @throws ApiError `forbidden_zone` */
  async function owned(account: Account, zone: string): Promise<Claim> {
    const claim = await claims.find(account, zone)
    if (claim === undefined) throw forbiddenZone(zone)
    return claim
  }

  const shown = (claim: Claim) => ({
    zone: claim.zone,
    status: claim.status,
    verification: verificationOf(claim, nameservers),
  })

  return {
    async zoneList({ query }, { account }) {
      const list = await claims.list(account, query.status ?? 'all')
      return { zones: list.map((claim) => ({ ...shown(claim), created_at: new Date(claim.createdAt).toISOString() })) }
    },

    async zoneClaim({ body }, { account }) {
      const zone = zoneName(body.zone)
      return shown(await publisher.claim(account, zone, termsOf(zone)))
    },

    async zoneGet({ params }, { account }) {
      return shown(await owned(account, pathZone(params.zone)))
    },

    async zoneVerify({ params }, { account }) {
      const claim = await owned(account, pathZone(params.zone))
      if (claim.status === 'verified' || !(await isProven(claim, resolver, nameservers))) return outcome(claim)
      return outcome(await publisher.verify(account, claim, termsOf(claim.zone)))
    },

    async zoneRelease({ params }, { account }) {
      const zone = pathZone(params.zone)
      await claims.release(account, zone)
      return { zone, released: true }
    },
  }
}

function verificationOf(
  { zone, status, method, txtValue }: Claim,
  nameservers: readonly string[],
): Output<Dns['zoneGet']>['verification'] {
  return {
    ...(method === 'ns' ? { verify_method: method } : { method }),
    verified: status === 'verified',
    ...(txtValue === null ? {} : { name: challengeName(zone), value: txtValue }),
    expected_ns: [...nameservers],
  }
}

function outcome({ zone, status }: Claim) {
  const verified = status === 'verified'
  return { zone, status, matched: verified, verified }
}
