/**
 * Looks up names in the public DNS, to see what the owner of a zone has published. Every call queries all resolvers, because
 * their caches differ, and ends within a deadline.
 */
export interface Resolver {
  /** The TXT records at a name, each with its strings joined (RFC 7208, section 3.3). CNAMEs are followed. */
  txt(name: string): Promise<LookUp>

  /** The names of a zone's nameservers, in lower case, without a trailing dot. */
  ns(zone: string): Promise<LookUp>
}

export type LookUp =
  /** One list for each resolver that has the record. Resolvers may have different versions of the zone. */
  | { readonly kind: 'answers'; readonly lists: readonly (readonly string[])[] }
  /** Resolvers were reached, and the record does not exist: NXDOMAIN, no data, or failing servers of the zone. */
  | { readonly kind: 'none' }
  /** No resolver could be reached. */
  | { readonly kind: 'unreachable' }
