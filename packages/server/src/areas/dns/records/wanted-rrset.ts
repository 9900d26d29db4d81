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
 * @param given with at least one value, as the contract says
 * @throws ApiError `bad_request`, which names the value: `values[1]`
 */
export function checkWantedRRset(zone: string, { values, ...given }: GivenRRset): WantedRRset {
  const records = values.map((value, position) => {
    try {
      return checkNewRecord(zone, { ...given, value })
    } catch (error) {
      if (!(error instanceof ApiError) || error.about?.field !== 'value') throw error
      throw badRequest(`values[${position}]`, error.about.problem)
    }
  })
  const positions = new Map<string, number>()
  for (const [index, { value }] of records.entries()) {
    const same = positions.get(value)
    if (same !== undefined)
      throw badRequest(`values[${index}]`, `is the same as values[${same}]: leave one of them out`)
    positions.set(value, index)
  }
  const { type, host, ttl, priority } = records[0] as (typeof records)[number]
  return { type, host, ttl, priority, values: [...positions.keys()] }
}
