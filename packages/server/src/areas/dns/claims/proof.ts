import { ApiError } from '@svc/contract/errors'
import type { LookUp, Resolver } from '../../../ports/resolver/port.js'
import type { Claim } from './claim.js'

/** The name at which the TXT value of a contested claim must be published (specification, section 3). */
export const challengeName = (zone: string) => `_svcdns-verify.${zone}`

/**
 * Whether the published records prove the pending claim (specification, section 3).
 * @param nameservers a legacy claim's zone must be delegated to these
 * @throws ApiError `upstream_error` when no resolver could be reached
 */
export async function isProven(claim: Claim, resolver: Resolver, nameservers: readonly string[]): Promise<boolean> {
  if (claim.method === 'ns') {
    const lists = listsOf(await resolver.ns(claim.zone), claim.zone)
    return lists.some((names) => isSameSet(names, nameservers))
  }
  const lists = listsOf(await resolver.txt(challengeName(claim.zone)), claim.zone)
  return lists.some((values) => values.some((value) => value === claim.txtValue))
}

function listsOf(lookUp: LookUp, zone: string): readonly (readonly string[])[] {
  switch (lookUp.kind) {
    case 'answers':
      return lookUp.lists
    case 'none':
      return []
    case 'unreachable':
      throw new ApiError('upstream_error', 'No resolver could be reached to look the zone up: try again later.', {
        zone,
      })
  }
}

function isSameSet(names: readonly string[], expected: readonly string[]): boolean {
  const found = new Set(names)
  const wanted = new Set(expected.map((name) => name.toLowerCase()))
  return found.size === wanted.size && [...wanted].every((name) => found.has(name))
}
