import { notFound } from '@svc/contract/errors'
import { quoted } from './quoted.js'

/** The id in a path. Ids are positive integers; other text becomes 0, which no row has. */
export const pathId = (given: string): number => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0)

/** Reads the id in a path. @param what the kind of resource, for the error @throws ApiError `not_found` for text that is not an id */
export function requirePathId(given: string, what: string): number {
  const id = pathId(given)
  if (id === 0) throw notFound(`${what} ${quoted(given)}`)
  return id
}
