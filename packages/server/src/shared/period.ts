import { badRequest } from '@svc/contract/errors'
import { quoted } from './quoted.js'
import { dayMs, dayOf, isDate } from './days.js'

/** Times in milliseconds since the epoch. */
export interface Period {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** All times. */
export const always: Period = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** @returns the number of a day in UTC @throws ApiError `bad_request` for a day that does not exist */
function dayIn(field: 'since' | 'until', text: string): number {
  if (!/^[12]\d{3}-\d{2}-\d{2}$/.test(text) || !isDate(text))
    throw badRequest(field, `must be a day such as 2026-11-23, not ${quoted(text)}`)
  return dayOf(Date.parse(text))
}

/** The days that a list is limited to; undefined without a limit. @throws ApiError `bad_request` for a day that does not exist */
export function periodOf({
  since,
  until,
}: {
  readonly since?: string | undefined
  readonly until?: string | undefined
}): Period | undefined {
  if (since === undefined && until === undefined) return undefined
  return {
    from: since === undefined ? always.from : dayIn('since', since) * dayMs,
    to: until === undefined ? always.to : (dayIn('until', until) + 1) * dayMs,
  }
}
