/** Looks up the country of an address in a local file, without the network. */
export interface Countries {
  /**
   * @param ip an IPv4 or IPv6 address as text; an IPv4-mapped address counts as IPv4
   * @returns ISO 3166-1 alpha-2 in upper case, or null for a reserved, private, unknown or invalid address. Never throws
   */
  countryOf(ip: string): string | null
}
