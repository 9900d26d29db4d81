import type { Rule, RuledRecord } from '../src/shared/rules.js'

/**
 * What the rules of a token allow, written from the text of the issue and without the code of svc: a second opinion for the tests.
 *
 * "`name`: the apex of a zone, the name of a site, the slug of a package or deployment, the platform of a credential. Without rules of a
 * kind the token has all of that kind within its scopes; with some, only those. `hosts`: exact names (`@` is the apex), `*` as the first
 * label stands for exactly one label, `**` as the last for one or more; `types`: record types. Write includes read; a change needs every
 * record that it removes and adds to be allowed. Claim and release need a write rule of the zone without hosts and types; get, list and
 * verify any rule of the zone."
 */

/** What an operation needs of a rule of its kind. */
type Need = 'list' | 'any rule' | 'read' | 'write' | 'whole zone'

/** Every operation that rules concern. */
export const needs: Readonly<Record<string, readonly [kind: Rule['kind'], need: Need]>> = {
  'dns.zoneList': ['zone', 'list'],
  'dns.zoneClaim': ['zone', 'whole zone'],
  'dns.zoneGet': ['zone', 'any rule'],
  'dns.zoneVerify': ['zone', 'any rule'],
  'dns.zoneRelease': ['zone', 'whole zone'],
  'dns.recordList': ['zone', 'any rule'],
  'dns.recordCreate': ['zone', 'write'],
  'dns.recordGet': ['zone', 'read'],
  'dns.recordsBatch': ['zone', 'write'],
  'dns.historyList': ['zone', 'read'],
  'dns.historyGet': ['zone', 'read'],
  'dns.zoneQueries': ['zone', 'read'],
  'dns.historyRevert': ['zone', 'write'],
  'dns.recordUpdate': ['zone', 'write'],
  'dns.recordDelete': ['zone', 'write'],
  'dns.rrsetReplace': ['zone', 'write'],
  'dns.zoneFileExport': ['zone', 'any rule'],
  'dns.zoneFilePreview': ['zone', 'read'],
  'dns.zoneFileImport': ['zone', 'write'],
  'tls.list': ['zone', 'list'],
  'tls.order': ['zone', 'whole zone'],
  'tls.renew': ['zone', 'whole zone'],
  'tls.delete': ['zone', 'whole zone'],
  'tls.key': ['zone', 'whole zone'],
  'cred.list': ['credential', 'list'],
  'cred.store': ['credential', 'write'],
  'cred.update': ['credential', 'write'],
  'cred.delete': ['credential', 'write'],
  'sites.list': ['site', 'list'],
  'sites.deploy': ['site', 'write'],
  'sites.delete': ['site', 'write'],
  'sites.versions': ['site', 'read'],
  'sites.restore': ['site', 'write'],
  'sites.domains': ['site', 'list'],
  'sites.domainAdd': ['site', 'write'],
  'sites.domainRemove': ['site', 'write'],
  'deployments.list': ['deployment', 'list'],
  'deployments.create': ['deployment', 'write'],
  'deployments.update': ['deployment', 'write'],
  'deployments.toggle': ['deployment', 'write'],
  'deployments.delete': ['deployment', 'write'],
  'deployments.get': ['deployment', 'read'],
  'deployments.uses': ['deployment', 'read'],
  'deployments.recentUses': ['deployment', 'read'],
  'deployments.submissions': ['deployment', 'read'],
  'deployments.submissionsExport': ['deployment', 'read'],
  'deployments.submissionDelete': ['deployment', 'write'],
  'deployments.requests': ['deployment', 'read'],
  'deployments.request': ['deployment', 'read'],
  'deployments.redeliver': ['deployment', 'write'],
  'deployments.rotateSecret': ['deployment', 'write'],
  'packages.list': ['package', 'list'],
  'packages.get': ['package', 'read'],
  'packages.publish': ['package', 'write'],
  'packages.update': ['package', 'write'],
  'packages.delete': ['package', 'write'],
}

/** A request of an operation for one thing, with the records that it reads, removes and adds. */
export interface Request {
  readonly operation: string
  readonly name: string
  readonly records: readonly RuledRecord[]
}

const expressions = new Map<string, RegExp>()

/** The hosts of a rule as a regular expression. */
function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern)
  if (known !== undefined) return known
  const labels = pattern.toLowerCase().split('.')
  const parts = labels.map((label, at) => {
    if (label === '**' && at === labels.length - 1) return String.raw`[^.]+(?:\.[^.]+)*`
    return label === '*' && at === 0 ? '[^.]+' : label.replaceAll('*', String.raw`\*`)
  })
  const expression = new RegExp(`^${parts.join(String.raw`\.`)}$`)
  expressions.set(pattern, expression)
  return expression
}

const matches = (pattern: string, host: string): boolean =>
  pattern === '@' || host === '@' ? pattern === host : expressionOf(pattern).test(host)

const covers = ({ hosts, types }: Rule, { host, type }: RuledRecord): boolean =>
  (!hosts || hosts.some((pattern) => matches(pattern, host))) && (!types || types.includes(type))

/** Whether a token may make a request. @param rules as they were given, not in canonical form; undefined for none */
export function mayRequest(rules: readonly Rule[] | undefined, { operation, name, records }: Request): boolean {
  const [kind, need] = needs[operation] ?? []
  if (rules === undefined || kind === undefined || need === 'list') return true
  const ofKind = rules.filter((rule) => rule.kind === kind)
  if (ofKind.length === 0) return true
  const named = ofKind.filter((rule) => rule.name.toLowerCase() === name)
  const writing = named.filter((rule) => rule.access === 'write')
  if (need === 'any rule') return named.length > 0
  if (need === 'whole zone') return writing.some((rule) => !rule.hosts && !rule.types)
  const fitting = need === 'read' ? named : writing
  if (fitting.length === 0) return false
  return kind !== 'zone' || records.every((record) => fitting.some((rule) => covers(rule, record)))
}

/** Whether a list shows a thing, or one record of a zone. */
export function mayList(rules: readonly Rule[] | undefined, kind: Rule['kind'], name: string, record?: RuledRecord) {
  const ofKind = (rules ?? []).filter((rule) => rule.kind === kind)
  if (ofKind.length === 0) return true
  return ofKind.some((rule) => rule.name.toLowerCase() === name && (record === undefined || covers(rule, record)))
}
