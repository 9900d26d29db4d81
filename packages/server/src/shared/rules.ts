import { ApiError } from '@svc/contract/errors'
import type { RecordType, RuleAccess, RuleKind } from '@svc/contract/limits'

/**
 * The rules of a token: they narrow its scopes to single things. Pure, and without a database: every reader and writer of a thing that
 * rules can name passes `allows`.
 */

/** Something that a token may read, or read and change. It can be cloned by `structuredClone`. */
export interface Rule {
  readonly kind: RuleKind
  /** Canonical: the apex of a zone, the name of a site, the slug of a package or deployment, the platform of a credential. */
  readonly name: string
  /** Of a zone, canonical and relative to it; undefined for all. `*` as the first label is one label, `**` as the last is one or more. */
  readonly hosts?: readonly string[]
  /** Of the records of a zone; undefined for all. */
  readonly types?: readonly RecordType[]
  readonly access: RuleAccess
}

/** Of one token. Without a rule of a kind, it has everything of that kind. */
export type Rules = readonly Rule[]

/** What a rule with hosts or types looks at. */
export interface RuledRecord {
  /** Canonical, relative to its zone. */
  readonly host: string
  readonly type: RecordType
}

/** What a request reads or changes. */
export interface Change {
  readonly kind: RuleKind
  readonly name: string
  /** `whole`: a change of a zone that concerns all its records, such as its release. */
  readonly access: RuleAccess | 'whole'
  /** Records that the request reads or removes. */
  readonly removed?: readonly RuledRecord[]
  /** Records that the request creates. An existing one that it would create counts too. */
  readonly added?: readonly RuledRecord[]
}

/** Whether rules allow a change. @param rules undefined for a caller without rules, who may do everything */
export function allows(rules: Rules | undefined, change: Change): boolean {
  const { removed = [], added = [] } = change
  const fitting = fittingRules(rules, change)
  if (fitting === undefined) return true
  if (fitting.length === 0 || (change.access === 'whole' && !fitting.some(isUnlimited))) return false
  const covers = (record: RuledRecord) => fitting.some((rule) => coversRecord(rule, record))
  return removed.every(covers) && added.every(covers)
}

/** Whether rules allow an access to records of a zone: the rules that fit are worked out once for all records. */
export function recordFilter(
  rules: Rules | undefined,
  of: Pick<Change, 'kind' | 'name' | 'access'>,
): (record: RuledRecord) => boolean {
  const fitting = fittingRules(rules, of)
  return (record) => fitting?.some((rule) => coversRecord(rule, record)) ?? true
}

/** The rules that allow an access to at least a part of a thing; undefined if everything of its kind is allowed. */
function fittingRules(
  rules: Rules | undefined,
  { kind, name, access }: Pick<Change, 'kind' | 'name' | 'access'>,
): Rules | undefined {
  const ofKind = rules?.filter((rule) => rule.kind === kind) ?? []
  if (ofKind.length === 0) return undefined
  return ofKind.filter((rule) => rule.name === name && (access === 'read' || rule.access === 'write'))
}

/** @throws ApiError `forbidden_zone` for a zone, `forbidden` for the rest; the same whether or not the thing exists */
export function requireAllowed(rules: Rules | undefined, change: Change): void {
  if (allows(rules, change)) return
  const message = `No ${change.kind} rule of this token allows this.`
  throw change.kind === 'zone'
    ? new ApiError('forbidden_zone', message, { zone: change.name })
    : new ApiError('forbidden', message)
}

/** Whether rules allow an access to anything of a kind, so that an operation can succeed. */
export function allowsSome(rules: Rules | undefined, kind: RuleKind, access: Change['access']): boolean {
  const ofKind = rules?.filter((rule) => rule.kind === kind) ?? []
  return ofKind.length === 0 || ofKind.some(({ name }) => allows(rules, { kind, name, access }))
}

/** The names of a kind that rules allow to read; undefined for all. */
export function readableNames(rules: Rules | undefined, kind: RuleKind): readonly string[] | undefined {
  const names = rules?.filter((rule) => rule.kind === kind).map(({ name }) => name) ?? []
  return names.length === 0 ? undefined : [...new Set(names)]
}

/** Whether rules allow to read only some records of a zone, of those that they allow at all. */
export const isPartOfZone = (rules: Rules | undefined, zone: string): boolean => {
  const ofZones = rules?.filter(({ kind }) => kind === 'zone') ?? []
  return ofZones.length > 0 && !ofZones.some((rule) => rule.name === zone && isUnlimited(rule))
}

/** The host that an update key of the token updates, relative to its zone; undefined unless its only rule of a zone names one host. */
export function updateHostOf(rules: Rules | undefined): { readonly zone: string; readonly host: string } | undefined {
  const [rule, ...others] = rules?.filter(({ kind }) => kind === 'zone') ?? []
  const [host, ...otherHosts] = rule?.hosts ?? []
  if (rule?.access !== 'write' || host === undefined || others.length + otherHosts.length > 0) return undefined
  return host.includes('*') ? undefined : { zone: rule.name, host }
}

const isUnlimited = ({ hosts, types }: Rule): boolean => hosts === undefined && types === undefined

const coversRecord = ({ hosts, types }: Rule, { host, type }: RuledRecord): boolean =>
  (types === undefined || types.includes(type)) && (hosts === undefined || matcherOf(hosts)(host))

type HostMatcher = (host: string) => boolean

const matchers = new WeakMap<readonly string[], HostMatcher>()

function matcherOf(hosts: readonly string[]): HostMatcher {
  const known = matchers.get(hosts)
  if (known !== undefined) return known
  const matcher = hostMatcher(hosts)
  matchers.set(hosts, matcher)
  return matcher
}

/**
 * Compares a host with all patterns of a rule at once: one by one, 100 patterns for each of 10,000 records would take half a second.
 * @param patterns of a rule, canonical @returns a function for canonical hosts
 */
function hostMatcher(patterns: readonly string[]): HostMatcher {
  const exact = new Set(patterns)
  const wild = patterns.filter((pattern) => pattern.includes('*') && pattern !== '**')
  const isOpen = (pattern: string) => pattern.endsWith('.**')
  const opened = wild.filter(isOpen).map((pattern) => pattern.slice(0, -'**'.length))
  /** What follows the first label. */
  const endings = new Set(
    wild.filter((pattern) => pattern.startsWith('*') && !isOpen(pattern)).map((pattern) => pattern.slice(1)),
  )
  const beginnings = opened.filter((pattern) => !pattern.startsWith('*'))
  const middles = opened.filter((pattern) => pattern.startsWith('*')).map((pattern) => pattern.slice(1))
  return (host) => {
    if (exact.has(host)) return true
    // The apex has no label in front of the zone.
    if (host === '@') return false
    if (exact.has('**')) return true
    const dot = host.indexOf('.')
    const following = dot === -1 ? '' : host.slice(dot)
    return (
      endings.has(following) ||
      beginnings.some((beginning) => host.startsWith(beginning)) ||
      middles.some((middle) => following.startsWith(middle))
    )
  }
}
