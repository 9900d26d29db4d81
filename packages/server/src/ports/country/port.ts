/** Tells the country of an address, from data on this machine: nobody is asked over the network. */
export interface Countries {
  /**
   * @param ip an IPv4 or IPv6 address as text; an IPv4-mapped one counts as IPv4
   * @returns ISO 3166-1 alpha-2 in upper case, or null for an address that is reserved, private, unknown or invalid. Never throws
   */
  countryOf(ip: string): string | null
}
