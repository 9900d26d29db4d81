/**
 * Every scope a token can carry (specification, section 5.5). `*` stands for all of them and is kept apart:
 * it is never required by an operation, so it is never named in `required_scopes`.
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

/** What a token may be given: any scope, or all of them. */
export type TokenScope = Scope | '*'

export const allScopes = '*' satisfies TokenScope

/** A token made without a scope gets this one (section 5.5). */
export const defaultScopes: readonly TokenScope[] = ['dns:read']

const known: ReadonlySet<string> = new Set([...scopes, allScopes])

export const isTokenScope = (text: string): text is TokenScope => known.has(text)

/**
 * Every single scope that lets a caller through where one of `anyOf` is asked for, in the order of section 5.5.
 * A write scope of an area also permits its reads (section 5.6). `*` is left out, as `required_scopes` leaves it out.
 */
export function acceptedScopes(anyOf: readonly Scope[]): Scope[] {
  const accepted = new Set<string>(anyOf)
  for (const scope of anyOf) if (scope.endsWith(':read')) accepted.add(scope.replace(/read$/, 'write'))
  return scopes.filter((scope) => accepted.has(scope))
}
