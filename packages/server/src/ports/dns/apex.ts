import { isReverse, registrableDomain } from './domain-names.js'

/**
 * What every adapter puts at the apex of a zone: the SOA (RFC 1035, section 3.3.13) and NS records that follow the
 * configured nameservers. The figures keep to the ranges of RFC 1912, section 2.2.
 */
export const apex = {
  soaTtl: 3600,
  nsTtl: 3600,
  refresh: 7200,
  retry: 900,
  expire: 1_209_600,
  /** How long a resolver may remember that something is not there (RFC 2308): a new record is seen within that time. */
  minimum: 300,
} as const

/** The settings for the SOA and NS records of every zone. */
export interface ApexSettings {
  /** Names of the nameservers; the first is the primary of the SOA. */
  readonly nameservers: readonly string[]
  /** Email address of the person responsible for the zones; undefined for the defaults of `mailboxOf`. */
  readonly hostmaster?: string | undefined
}

/** An email address. */
export interface Mailbox {
  readonly local: string
  readonly domain: string
}

/**
 * Where mail about a zone goes: as configured, or hostmaster at the zone (RFC 2142, section 7). A reverse zone receives no mail, so
 * there it is hostmaster at the registrable domain of the first nameserver.
 */
export function mailboxOf({ nameservers: [first = ''], hostmaster }: ApexSettings, zone: string): Mailbox {
  const [local = '', domain] = hostmaster?.split('@') ?? ['hostmaster']
  return { local, domain: domain ?? (isReverse(zone) ? (registrableDomain(first) ?? first) : zone) }
}

/**
 * The RNAME of a zone's SOA as master files write it, without a trailing dot: the @ is a dot, and dots before it are escaped
 * (RFC 1035, section 8).
 */
export function rnameOf(settings: ApexSettings, zone: string): string {
  const { local, domain } = mailboxOf(settings, zone)
  return `${local.replaceAll('.', '\\.')}.${domain}`
}
