/**
 * Suffixes of names that the public DNS does not have, by the document that says so: special-use domain names (IANA registry), RFC 6761
 * and its successors. Without `test`, `example` and `invalid` (RFC 6761): they are for tests, whose resolvers have them.
 */
export const specialUseNames: Readonly<Record<string, readonly string[]>> = {
  'RFC 6761': ['localhost'],
  'RFC 6762': ['local'],
  'RFC 6762, appendix G': ['intranet', 'private', 'corp', 'home', 'lan'],
  'RFC 7686': ['onion'],
  'RFC 8375': ['home.arpa'],
  'RFC 9462': ['resolver.arpa'],
  'RFC 9476': ['alt'],
  'RFC 9665': ['service.arpa'],
  'ICANN resolution 2024.07.29.06': ['internal'],
}

/**
 * Whether the public DNS can have a host name, so that a registrar can accept it as a nameserver.
 * @param name in lower case, without a final dot
 */
export const isPublicName = (name: string): boolean =>
  name.includes('.') &&
  !Object.values(specialUseNames)
    .flat()
    .some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
