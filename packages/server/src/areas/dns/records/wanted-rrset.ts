import { ApiError, badRequest } from '@svc/contract/errors'
import { checkNewRecord } from './check.js'
import type { GivenRecord, WantedRRset } from './record.js'

/** The input that replaces an RRset. */
export interface GivenRRset extends Omit<GivenRecord, 'value'> {
  readonly values: readonly string[]
}

/**
 * All records of one host and type in canonical form.
 * @param zone canonical
 * @throws ApiError `bad_request`, which names the value: `values[1]`
 */
export function checkWantedRRset(zone: string, { values, ...given }: GivenRRset): WantedRRset {
  const [first, ...others] = values.map((value, position) => {
    try {
      return checkNewRecord(zone, { ...given, value })
    } catch (error) {
      if (!(error instanceof ApiError) || error.about?.field !== 'value') throw error
      throw badRequest(`values[${position}]`, error.about.problem)
    }
  })
  if (first === undefined)
    throw badRequest('values', 'must have at least one value. To remove the records, delete each by its id')
  const positions = new Map([[first.value, 0]])
  for (const [index, { value }] of others.entries()) {
    const same = positions.get(value)
    if (same !== undefined)
      throw badRequest(`values[${index + 1}]`, `is the same as values[${same}]: leave one of them out`)
    positions.set(value, index + 1)
  }
  const { type, host, ttl, priority } = first
  return { type, host, ttl, priority, values: [...positions.keys()] }
}
