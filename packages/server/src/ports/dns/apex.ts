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

/** The RNAME of a zone's SOA: where its people are written to (RFC 2142, section 7). */
export const hostmasterOf = (zone: string): string => `hostmaster.${zone}`
