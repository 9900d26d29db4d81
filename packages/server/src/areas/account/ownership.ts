import { ApiError, notFound } from '@svc/contract/errors'

/** 403 for a resource of another account (specification, section 1). */
export const notYours = (what: string) => new ApiError('forbidden', `This ${what} belongs to another account.`)

/**
 * 404 for a number that can be nobody's id. JSON writes integers of any size, and PostgreSQL refuses to compare with one
 * beyond 64 bits.
 */
export function requirePossible(what: string, id: number): void {
  if (!Number.isSafeInteger(id) || id < 1) throw notFound(`${what} ${String(id)}`)
}
