import { allScopes, operations, requiredScopes, type TokenScope } from '@svc/contract'

/** With any of these, a token is shown stored secrets: those of credentials, or the signing secrets of webhooks. */
const secretScopes: ReadonlySet<TokenScope> = new Set<TokenScope>([
  allScopes,
  ...operations.filter(({ showsSecrets }) => showsSecrets !== undefined).flatMap((op) => requiredScopes(op)),
])

export const showsSecrets = (scopes: readonly TokenScope[]): boolean => scopes.some((scope) => secretScopes.has(scope))
