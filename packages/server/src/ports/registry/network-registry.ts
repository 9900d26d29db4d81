import { topLevelOf } from '../dns/domain-names.js'
import type { AskRegistry } from './live-registries.js'
import { RegistryBusy, RegistryRateLimited } from './errors.js'
import type { Pace } from './pace.js'
import { RegistryError } from './port.js'
import type { AskRdap } from './rdap/rdap-client.js'

/** WHOIS is asked after a failure of RDAP if this much time is left. */
const whoisNeedsMs = 2_000

export interface NetworkRegistryOptions {
  readonly pace: Pace
  readonly rdap: AskRdap
  readonly whois: AskRegistry
  /** @returns the base URLs of the RDAP servers of a top-level domain; empty if it has none */
  readonly rdapServersOf: (topLevel: string, signal: AbortSignal) => readonly string[]
}

/**
 * Asks the registry of a domain by RDAP, and by WHOIS if it has no RDAP. If RDAP fails, WHOIS is asked too, because many registries have
 * both; except if the registry limits requests, or this process has too many look-ups.
 */
export function networkRegistry({ pace, rdap, whois, rdapServersOf }: NetworkRegistryOptions): AskRegistry {
  return async (question) => {
    const { domain, deadline, signal } = question
    const baseUrls = rdapServersOf(topLevelOf(domain), signal)
    const [first] = baseUrls
    if (first === undefined) return whois(question)
    try {
      const until = performance.now() + deadline.remainingMs
      return await pace.run(new URL(first).host, until, () => rdap({ ...question, baseUrls }))
    } catch (error) {
      const isFinal = error instanceof RegistryRateLimited || error instanceof RegistryBusy
      if (!(error instanceof RegistryError) || isFinal || deadline.remainingMs < whoisNeedsMs) throw error
      return await whois(question).catch(() => {
        // RDAP is the first source: its failure is the one to report.
        throw error
      })
    }
  }
}
