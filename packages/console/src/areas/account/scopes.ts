import { acceptedScopes, allScopes, areaOf, areas, operations, requiredScopes, scopes } from '@svc/contract'
import type { Operation, Scope, TokenScope } from '@svc/contract'

type ScopeArea = Scope extends `${infer Area}:${string}` ? Area : never

/** What the navigation calls the areas of scopes. The edge cache is a page of Files. */
const labels: Readonly<Record<ScopeArea, string>> = {
  dns: 'DNS',
  account: 'Account',
  cred: 'Credentials',
  files: 'Files',
  cdn: 'Edge cache',
  sms: 'Messages',
  sites: 'Sites',
  deploy: 'Forms and links',
  domain: 'Domains',
  packages: 'Packages',
  whois: 'WHOIS',
}

/** The scopes of an area: `dns` with `dns:read` and `dns:write`. */
export interface ScopeRow {
  readonly area: ScopeArea
  /** The word of the navigation: "DNS". */
  readonly label: string
  readonly read: Scope | undefined
  readonly write: Scope | undefined
  /** The operations that `read` allows; `write` allows them too. */
  readonly reads: readonly Operation[]
  /** The operations that only `write` allows. */
  readonly writes: readonly Operation[]
}

const areaOfScope = (scope: Scope): ScopeArea => scope.slice(0, scope.indexOf(':')) as ScopeArea
/** Whether a scope only reads. */
export const isRead = (scope: Scope): boolean => scope.endsWith(':read')

const allowedBy = (scope: Scope | undefined): readonly Operation[] =>
  scope === undefined ? [] : operations.filter((op) => requiredScopes(op).includes(scope))

/** The scopes as a matrix of area and access, in the order of the contract. */
export const scopeRows: readonly ScopeRow[] = Array.from(new Set(scopes.map(areaOfScope)), (area) => {
  const own = scopes.filter((scope) => areaOfScope(scope) === area)
  const [read, write] = [own.find(isRead), own.find((scope) => !isRead(scope))]
  const reads = allowedBy(read)
  return { area, label: labels[area], read, write, reads, writes: allowedBy(write).filter((op) => !reads.includes(op)) }
})

/** A scope in words, with itself: `Credentials (cred:read)`. @param scope of a key */
export function scopeText(scope: TokenScope): string {
  return scope === allScopes ? 'Everything' : `${labels[areaOfScope(scope)]} (${scope})`
}

/** The fewest scopes with which a key may call all of these operations. */
export function scopesFor(ops: readonly Operation[]): readonly Scope[] {
  const named = new Set(ops.flatMap(({ access }) => (typeof access === 'object' ? access.anyOf : [])))
  return [...named].filter((scope) => acceptedScopes([scope]).every((other) => other === scope || !named.has(other)))
}

/** A read without parameters that a key with these scopes may call, to try it. */
export function firstCall(given: readonly TokenScope[]): Operation {
  const isAllowed = (op: Operation) =>
    given.includes(allScopes) ? areaOf(op) === 'dns' : requiredScopes(op).some((scope) => given.includes(scope))
  const isSimple = ({ method, kind, params, query, forPeople }: Operation) =>
    forPeople === undefined &&
    method === 'GET' &&
    kind === 'json' &&
    params === undefined &&
    query?.required === undefined
  return operations.find((op) => isSimple(op) && isAllowed(op)) ?? areas.account.me
}
