import { isReverse, registrableDomain } from './domain-names.js'

/**
 * TTLs and timers, in seconds, of the SOA (RFC 1035, section 3.3.13) and NS records that every adapter serves at the
 * apex of a zone. They are within the ranges of RFC 1912, section 2.2.
 */
export const apex = {
  soaTtl: 3600,
  nsTtl: 3600,
  refresh: 7200,
  retry: 900,
  expire: 1_209_600,
  /** How long a resolver may cache a negative answer (RFC 2308): a new record becomes visible within this time. */
  minimum: 300,
} as const

/** The settings for the SOA and NS records of every zone. */
export interface ApexSettings {
  /** Names of the nameservers; the first is the primary of the SOA. */
  readonly nameservers: readonly string[]
  /** Email address for mail about the zones; undefined for the defaults of `mailboxOf`. */
  readonly hostmaster?: string | undefined
}

/** An email address. */
export interface Mailbox {
  readonly local: string
  readonly domain: string
}

/**
 * The mailbox for mail about a zone: the configured one, or hostmaster at the zone (RFC 2142, section 7). A reverse zone receives
 * no mail, so its default is hostmaster at the registrable domain of the first nameserver.
 */
export function mailboxOf({ nameservers: [first = ''], hostmaster }: ApexSettings, zone: string): Mailbox {
  const [local = '', domain] = hostmaster?.split('@') ?? ['hostmaster']
  return { local, domain: domain ?? (isReverse(zone) ? (registrableDomain(first) ?? first) : zone) }
}

/**
 * The RNAME of a zone's SOA in presentation format, without a trailing dot. The @ becomes a dot, and dots before it are escaped
 * (RFC 1035, section 8).
 */
export function rnameOf(settings: ApexSettings, zone: string): string {
  const { local, domain } = mailboxOf(settings, zone)
  return `${local.replaceAll('.', '\\.')}.${domain}`
}
