import { requiredScopes, type Operation } from '../operation.js'

export interface CatalogueEntry {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly access: string
  readonly summary: string
}

/** `public`, `any token`, or every scope that is accepted, joined by `|` (the scope column of section 4). */
export function accessText(op: Operation): string {
  if (op.access === 'public') return 'public'
  return op.access === 'token' ? 'any token' : requiredScopes(op).join('|')
}

/** `endpoints` of GET /v1. */
export const catalogue = (operations: readonly Operation[]): CatalogueEntry[] =>
  operations.map((op) => ({ id: op.id, method: op.method, path: op.path, access: accessText(op), summary: op.summary }))
