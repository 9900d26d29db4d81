import type { Deadline } from '../dns/deadline.js'
import type { AskRegistry } from './live-registries.js'
import type { Pace } from './pace.js'
import { RegistryError, type Registration } from './port.js'
import type { AskRdap } from './rdap/rdap-client.js'

export interface NetworkRegistryOptions {
  readonly pace: Pace
  readonly rdap: AskRdap
  /** @returns the base URLs of the RDAP servers of a top-level domain; empty if it has none */
  readonly rdapServersOf: (topLevel: string) => readonly string[] | Promise<readonly string[]>
}

/** Asks the registry of a domain by RDAP. */
export function networkRegistry(options: NetworkRegistryOptions): AskRegistry {
  return async (domain, deadline, signal) => {
    const topLevel = domain.slice(domain.lastIndexOf('.') + 1)
    const baseUrls = await options.rdapServersOf(topLevel)
    if (baseUrls.length === 0) throw new RegistryError(`The registry of .${topLevel} is not known.`)
    return askRdap(options, { domain, baseUrls, deadline, signal })
  }
}

interface Question {
  readonly domain: string
  readonly baseUrls: readonly string[]
  readonly deadline: Deadline
  readonly signal: AbortSignal
}

function askRdap({ pace, rdap }: NetworkRegistryOptions, question: Question): Promise<Registration | undefined> {
  const { baseUrls, deadline } = question
  const until = performance.now() + deadline.remainingMs
  return pace.run(new URL(baseUrls[0] ?? '').host, until, () => rdap(question))
}
