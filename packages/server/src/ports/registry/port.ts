/** Registration data of domains, from RDAP or WHOIS. Times are milliseconds since the epoch. */
export interface Registries {
  /** The answer of `lookUp`, if this process has it in memory. */
  readonly fromMemory: (domain: string) => RegistryAnswer | undefined

  /**
   * The registration of a domain, at most a day old. Concurrent calls make one look-up, in all processes on the database.
   * @param domain a registrable domain in lower case, IDNs in punycode
   * @throws RegistryError if no registry has answered
   */
  readonly lookUp: (domain: string) => Promise<RegistryAnswer>

  /** Asks the registry now, and replaces the cached answer. @throws RegistryError; the cached answer then stays */
  readonly refresh: (domain: string, options?: RefreshOptions) => Promise<RegistryAnswer>
}

export interface RefreshOptions {
  /** Ends the wait of the caller. The look-up continues. */
  readonly signal?: AbortSignal | undefined
  /** A cached answer that is at most this old, in milliseconds, replaces the look-up. 0 by default. */
  readonly maxAgeMs?: number
}

export interface RegistryAnswer {
  /** Undefined if the domain is not registered. */
  readonly registration: Registration | undefined
  /** When the registry answered. */
  readonly fetchedAt: number
  /** Whether no look-up was needed. */
  readonly isCached: boolean
}

export interface Registration {
  readonly domain: string
  readonly registrar: string | null
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly expiresAt: number | null
  /** In lower case, without trailing dots. */
  readonly nameservers: readonly string[]
  readonly statuses: readonly string[]
  /** Whether the delegation is signed; null if unknown. */
  readonly dnssec: boolean | null
  readonly source: 'rdap' | 'whois'
  /** The text of the WHOIS answer; null for RDAP. */
  readonly raw: string | null
}

/** No registry has given an answer that can be used. The message is shown to users: it contains no address. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}
