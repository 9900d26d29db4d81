import { isBelow, registrableDomain, suffixesOf } from '../../../ports/dns/domain-names.js'

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
 * sites domain, and those below their registrable domains, which a private suffix makes claimable. Sites are below the
 * sites domain: if that is a public suffix (`lan`), they are registrable domains themselves.
 */
export function operatorZones({ nameservers, publicUrl, sitesDomain }: OperatorNames): OperatorZones {
  const hosts = [...nameservers, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), sitesDomain]
  const names = hosts.map((host) => host.replace(/\.$/, ''))
  const above = new Set(names.flatMap(suffixesOf))
  // Names below `localhost` never reach a nameserver (RFC 6761, section 6.3).
  const below = sitesDomain === 'localhost' ? undefined : sitesDomain
  return {
    has: (zone) =>
      above.has(zone) ||
      (below !== undefined && isBelow(zone, below)) ||
      // Only here: the list of suffixes is loaded at the first claim.
      names.some((name) => isBelowDomainOf(name, zone)),
    above: [...above],
    below,
  }
}

function isBelowDomainOf(name: string, zone: string): boolean {
  const domain = registrableDomain(name)
  return domain !== null && isBelow(zone, domain)
}
