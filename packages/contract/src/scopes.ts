/**
 * Every scope of a token (specification, section 5.5), without `*`, which stands for all of them: no operation requires
 * it, so `required_scopes` never lists it.
 */
export const scopes = [
  'dns:read',
  'dns:write',
  'account:read',
  'account:write',
  'cred:read',
  'cred:write',
  'files:read',
  'files:write',
  'cdn:read',
  'cdn:write',
  'sms:read',
  'sms:write',
  'sites:read',
  'sites:write',
  'deploy:read',
  'deploy:write',
  'domain:read',
  'domain:write',
  'packages:read',
  'packages:write',
  'whois:read',
] as const

export type Scope = (typeof scopes)[number]

/** A scope that a token may have: one of the list, or `*` for all. */
export type TokenScope = Scope | '*'

export const allScopes = '*' satisfies TokenScope

/** The scope of a token that was created without one (section 5.5). */
export const defaultScopes: readonly TokenScope[] = ['dns:read']

const known: ReadonlySet<string> = new Set([...scopes, allScopes])

export const isTokenScope = (text: string): text is TokenScope => known.has(text)

/**
 * Every scope that satisfies `anyOf`, in the order of section 5.5: a write scope of an area also permits its reads
 * (section 5.6). `*` is left out, as in `required_scopes`.
 */
export function acceptedScopes(anyOf: readonly Scope[]): Scope[] {
  const accepted = new Set<string>(anyOf)
  for (const scope of anyOf) if (scope.endsWith(':read')) accepted.add(scope.replace(/read$/, 'write'))
  return scopes.filter((scope) => accepted.has(scope))
}
