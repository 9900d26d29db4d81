import { groupBy } from '@svc/contract/group-by'
import type { RRset } from '../../../ports/dns/port.js'
import { fullName } from '../values/host.js'

/** Values that prove names to a CA, beside the records of a zone. Pure. */

/** The first label of the names at which a CA looks for its values (RFC 8555, section 8.4). */
const acmeLabel = '_acme-challenge'

/** Seconds: a CA that verifies the next order must not find the values of the one before in a cache. */
const ttl = 1

export interface ChallengeValue {
  /** Relative to the zone; its first label is `acmeLabel`. */
  readonly host: string
  readonly value: string
}

/** A TXT value that proves a name to a CA. */
export interface DnsChallenge {
  /** Absolute, in lower case: `_acme-challenge.example.net`. */
  readonly name: string
  readonly value: string
}

const isChallengeSet = ({ name, type }: RRset): boolean => type === 'TXT' && name.startsWith(`${acmeLabel}.`)

/** Whether a change has an RRset that may have values of challenges. */
export const touchesChallenges = (rrsets: readonly RRset[]): boolean => rrsets.some(isChallengeSet)

/** Adds the values to the changed RRsets, which keep their own records. */
export function changedWithChallenges(
  zone: string,
  rrsets: readonly RRset[],
  challenges: readonly ChallengeValue[],
): readonly RRset[] {
  const values = valuesByName(zone, challenges)
  return rrsets.map((set) => (isChallengeSet(set) ? withValues(set, values.get(set.name) ?? []) : set))
}

/** Adds the values to a whole zone. A name that is an alias keeps its alias, and gets none (RFC 2181, section 10.1). */
export function zoneWithChallenges(
  zone: string,
  rrsets: readonly RRset[],
  challenges: readonly ChallengeValue[],
): readonly RRset[] {
  if (challenges.length === 0) return rrsets
  const taken = new Set(rrsets.filter(({ type }) => type === 'TXT' || type === 'CNAME').map(({ name }) => name))
  const added = [...valuesByName(zone, challenges)]
    .filter(([name]) => !taken.has(name))
    .map(([name, values]) => withValues({ name, type: 'TXT', ttl, records: [] }, values))
  return [...changedWithChallenges(zone, rrsets, challenges), ...added]
}

const valuesByName = (zone: string, challenges: readonly ChallengeValue[]) =>
  new Map(
    Array.from(
      groupBy(challenges, ({ host }) => host),
      ([host, found]) => [fullName(zone, host), found.map(({ value }) => value)] as const,
    ),
  )

function withValues(set: RRset, values: readonly string[]): RRset {
  const existing = new Set(set.records.map(({ value }) => value))
  const added = values.filter((value) => !existing.has(value))
  if (added.length === 0) return set
  const records = [...set.records, ...added.map((value) => ({ value, priority: null }))]
  return { ...set, ttl: set.records.length === 0 ? ttl : set.ttl, records }
}
