import { randomBytes } from 'node:crypto'
import { ApiError } from '@svc/contract/errors'
import { challengeName } from '../../../ports/dns/challenge.js'
import { hasAnswered, type LookUp, type Resolver, type ResolverReply } from '../../../ports/resolver/port.js'
import type { Claim } from './claim.js'
import { describeReplies } from './replies.js'

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
  /** Whether a wildcard of the zone answered with the expected value: that proves nothing. */
  readonly isFromWildcard: boolean
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
  const proofs = replies.map((reply) => isProof(asked, reply))
  const isFound = proofs.includes(true)
  const own = isFound && asked.type === 'TXT' ? await answeredAtName(claim.zone, asked, resolver) : proofs
  const isProven = proofs.some((isProof, index) => isProof && own[index] === true)
  return { ...asked, replies, at, isProven, isFromWildcard: isFound && !isProven }
}

const isAbsent = ({ result }: ResolverReply): boolean => result === 'nxdomain' || result === 'no_data'

/**
 * Whether each resolver found a TXT value at its name. A wildcard or DNAME of the zone's holder would answer a name beside it too: then
 * the value comes from the owner of the alias's target. Our nameserver answers no challenge from them, but others do.
 */
async function answeredAtName(
  zone: string,
  { name, expected }: Pick<ProofLookUp, 'name' | 'expected'>,
  resolver: Resolver,
): Promise<boolean[]> {
  const beside = `_svcdns-${randomBytes(8).toString('hex')}.${zone}`
  const [aliases, aliasesBeside, values] = await Promise.all([
    resolver.cname(name),
    resolver.cname(beside),
    resolver.txt(beside),
  ])
  return aliases.map((alias, index) => {
    const [aliasBeside, value] = [aliasesBeside[index], values[index]]
    const isAlias = !isAbsent(alias)
    const isWildcard = isAlias && (aliasBeside === undefined || !isAbsent(aliasBeside))
    return !isWildcard && value?.values.includes(expected[0] ?? '') !== true
  })
}

function isProof(
  { type, expected }: Pick<ProofLookUp, 'type' | 'expected'>,
  { result, values }: ResolverReply,
): boolean {
  if (result !== 'found') return false
  return type === 'NS' ? isSameSet(values, expected) : values.some((value) => value === expected[0])
}

/** Whether names are exactly those expected, in any order. @param names in lower case */
export function isSameSet(names: readonly string[], expected: readonly string[]): boolean {
  const found = new Set(names)
  const wanted = new Set(expected.map((name) => name.toLowerCase()))
  return found.size === wanted.size && [...wanted].every((name) => found.has(name))
}
