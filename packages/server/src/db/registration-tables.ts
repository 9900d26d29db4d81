/** The tables of registration data (see `Tables`). */
export interface RegistrationTables {
  registration: RegistrationTable
  rdap_bootstrap: RdapBootstrapTable
}

/** The last answer of a registry about a domain. */
export interface RegistrationTable {
  /** In lower case, IDNs in punycode. */
  domain: string
  /** JSON object of the registration; null for an unregistered domain, and before the first answer. */
  data: string | null
  /** When the registry answered; null before the first answer. */
  fetched_at: number | null
  /** Until then, the answer is served without a look-up. */
  fresh_until: number
  /** Until then, a process is asking the registry; 0 without a running look-up. */
  claimed_until: number
  /** Why the last look-up failed; null after a success. */
  error: string | null
  /** When the last look-up failed; null after a success. */
  failed_at: number | null
  remove_after: number
}

/** IANA's list of RDAP servers. The table has one row. */
export interface RdapBootstrapTable {
  id: number
  fetched_at: number
  /** In IANA's format (RFC 9224). */
  data: string
}
