import { ApiError } from '@svc/contract/errors'
import { registrableName } from '../../../ports/dns/apex-name.js'
import { knownTopLevelOf } from '../../../ports/dns/domain-names.js'

/** Checks a list of domains. @returns their canonical forms, each once @throws ApiError `bad_request` that lists all invalid entries */
export function parseDomainNames(given: readonly string[]): string[] {
  const names = new Set<string>()
  const problems: string[] = []
  for (const [index, entry] of given.entries()) {
    try {
      names.add(registrableName(`domains[${String(index)}]`, entry))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new ApiError('bad_request', problems.join(' '))
  return [...names]
}

/**
 * The top-level domain, whose registry is asked. Empty for unknown ones: they share one pace, so that the number of registries has a
 * limit.
 */
export const tldOf = (name: string): string => knownTopLevelOf(name) ?? ''
