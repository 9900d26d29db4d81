/**
 * Looks names up in the public DNS, to see what the owner of a zone has published. Every call asks all resolvers, as one
 * may know already what another's cache does not, and ends within a deadline.
 */
export interface Resolver {
  /** The TXT records at a name, each with its strings joined (RFC 7208, section 3.3). CNAMEs are followed. */
  txt(name: string): Promise<LookUp>

  /** The names of a zone's nameservers, in lower case, without a trailing dot. */
  ns(zone: string): Promise<LookUp>
}

export type LookUp =
  /** One list for each resolver that had an answer: they may know different states of the zone. */
  | { readonly kind: 'answers'; readonly lists: readonly (readonly string[])[] }
  /** Resolvers were reached, and there is no such record: NXDOMAIN, no data, or a zone whose servers fail. */
  | { readonly kind: 'none' }
  /** No resolver could be reached. */
  | { readonly kind: 'unreachable' }
