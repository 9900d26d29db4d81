import { suffixesOf } from '../../../ports/dns/domain-names.js'

/** Names of the server itself: an account that controls their zones controls every zone. */
export interface OperatorNames {
  readonly nameservers: readonly string[]
  /** An origin. */
  readonly publicUrl: string | undefined
  readonly sitesDomain: string
}

/** Zones that count as claimed by the operator. */
export interface OperatorZones {
  readonly has: (zone: string) => boolean
  /** Zones at or above the operator's names, claimable or not: used to look for claims on them. */
  readonly above: readonly string[]
  /** The domain whose subdomains are also the operator's; undefined if missing. */
  readonly below: string | undefined
}

/**
 * Zones that the operator keeps without `svc dns reserve`: every zone at or above a nameserver, the public URL's host or the
 * sites domain. Of these only a registrable domain can be claimed, so no list of suffixes is needed. Sites are below the
 * sites domain: if that is a public suffix (`lan`), they are registrable domains themselves.
 */
export function operatorZones({ nameservers, publicUrl, sitesDomain }: OperatorNames): OperatorZones {
  const hosts = [...nameservers, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), sitesDomain]
  const above = new Set(hosts.flatMap((host) => suffixesOf(host.replace(/\.$/, ''))))
  // Names below `localhost` never reach a nameserver (RFC 6761, section 6.3).
  const below = sitesDomain === 'localhost' ? undefined : sitesDomain
  return {
    has: (zone) => above.has(zone) || (below !== undefined && zone.endsWith(`.${below}`)),
    above: [...above],
    below,
  }
}
