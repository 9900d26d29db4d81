/**
 * Looks up names in the public DNS, to see what the owner of a zone has published. Every call queries all resolvers, because
 * their caches differ, and ends within a deadline.
 */
export interface Resolver {
  /** The TXT records at a name, each with its strings joined (RFC 7208, section 3.3). CNAMEs are followed. */
  txt(name: string): Promise<LookUp>

  /** The targets of the alias at a name, in lower case, without a trailing dot. They are not followed. */
  cname(name: string): Promise<LookUp>

  /** The names of a zone's nameservers, in lower case, without a trailing dot. */
  ns(zone: string): Promise<LookUp>

  /** The IPv4 and IPv6 addresses of a name. Recursive resolvers follow CNAMEs. */
  addresses(name: string): Promise<LookUp>
}

/** One reply for each resolver, in the order of the setting. Resolvers may have different versions of the zone. */
export type LookUp = readonly ResolverReply[]

export interface ResolverReply {
  /** The address of the resolver, as in the setting. */
  readonly resolver: string
  readonly result: LookUpResult
  /** Empty unless the result is `found`. Untrusted text. */
  readonly values: readonly string[]
}

/**
 * What a resolver answered. SERVFAIL and REFUSED are the answers for a zone whose servers fail. `invalid` is any other error
 * of the DNS. `timeout` and `unreachable`: the resolver did not answer.
 */
export type LookUpResult =
  | 'found'
  | 'nxdomain'
  | 'no_data'
  | 'servfail'
  | 'refused'
  | 'invalid'
  | 'timeout'
  | 'unreachable'

/** Whether the resolver answered, if only with an error. */
export const hasAnswered = ({ result }: Pick<ResolverReply, 'result'>): boolean =>
  result !== 'timeout' && result !== 'unreachable'
