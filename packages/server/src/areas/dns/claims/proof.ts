import { ApiError } from '@svc/contract/errors'
import { hasAnswered, type LookUp, type Resolver, type ResolverReply } from '../../../ports/resolver/port.js'
import type { Claim } from './claim.js'
import { describeReplies } from './replies.js'

/** The name at which the TXT value of a contested claim must be published (specification, section 3). */
export const challengeName = (zone: string) => `_svcdns-verify.${zone}`

/** What was looked up to prove a pending claim, and what the resolvers answered. */
export interface ProofLookUp {
  readonly type: 'TXT' | 'NS'
  readonly name: string
  /** The TXT value, or all nameservers. */
  readonly expected: readonly string[]
  readonly replies: LookUp
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly isProven: boolean
}

/**
 * Looks up the published records that prove a pending claim (specification, section 3).
 * @param nameservers a legacy claim's zone must be delegated to these
 * @throws ApiError `upstream_error` when no resolver answered
 */
export async function lookUpProof(
  claim: Claim,
  resolver: Resolver,
  nameservers: readonly string[],
): Promise<ProofLookUp> {
  const at = Date.now()
  const asked =
    claim.method === 'ns'
      ? ({ type: 'NS', name: claim.zone, expected: nameservers } as const)
      : ({
          type: 'TXT',
          name: challengeName(claim.zone),
          expected: claim.txtValue === null ? [] : [claim.txtValue],
        } as const)
  const replies = await (asked.type === 'NS' ? resolver.ns(asked.name) : resolver.txt(asked.name))
  if (!replies.some(hasAnswered))
    throw new ApiError(
      'upstream_error',
      `No resolver could be reached to look up the ${asked.type} records of ${asked.name}: ${describeReplies(asked.type, replies)}. Try again later.`,
      { zone: claim.zone },
    )
  return { ...asked, replies, at, isProven: replies.some((reply) => isProof(asked, reply)) }
}

function isProof(
  { type, expected }: Pick<ProofLookUp, 'type' | 'expected'>,
  { result, values }: ResolverReply,
): boolean {
  if (result !== 'found') return false
  return type === 'NS' ? isSameSet(values, expected) : values.some((value) => value === expected[0])
}

function isSameSet(names: readonly string[], expected: readonly string[]): boolean {
  const found = new Set(names)
  const wanted = new Set(expected.map((name) => name.toLowerCase()))
  return found.size === wanted.size && [...wanted].every((name) => found.has(name))
}
