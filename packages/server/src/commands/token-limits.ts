import { tokenKeepHoursMax, tokenUnusedDaysMax } from '@svc/contract/limits'
import { checkNetworks, type TokenLimits } from '../areas/account/tokens/limits.js'
import { hourMs } from '../shared/days.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { parseTime } from '../shared/timestamp.js'
import { inTermsOf } from './input.js'

/** The limits of a token as `svc token add` and `svc token update` get them. A flag that is left out changes nothing. */
export interface GivenTokenLimits {
  /** `30d`, `12h`, `2027-01-31`, a time in RFC 3339, or `never`. */
  readonly expires?: string | undefined
  /** A number of days, or `never`. */
  readonly unusedDays?: string | undefined
  /** Addresses and networks, one by one or joined by commas; `any` for every network. */
  readonly network?: readonly string[] | undefined
}

/** The parsed limits. @param now in milliseconds since the epoch @throws OperatorError */
export const tokenLimits = ({ expires, unusedDays, network }: GivenTokenLimits, now: number): Partial<TokenLimits> => ({
  ...(expires !== undefined && { expiresAt: expiry(expires, now) }),
  ...(unusedDays !== undefined && { unusedDays: daysUnused(unusedDays) }),
  ...(network !== undefined && network.length > 0 && { networks: networks(network) }),
})

const wrong = (message: string) => new OperatorError(message, 2)

const never = 'never'

/** For every network. */
const any = 'any'

/** Longer ones end after the year 9999, which RFC 3339 cannot write. */
const amount = /^(?<count>\d{1,6})(?<unit>[hd])$/

function expiry(text: string, now: number): number | null {
  if (text === never) return null
  const at = endOf(text, now)
  if (at === undefined)
    throw wrong(
      `--expires must be a period such as 30d or 12h, a day such as 2027-01-31, a time such as 2027-01-31T18:30:00Z, or ${never}, not ${quoted(text)}.`,
    )
  if (at <= now) throw wrong(`--expires must be in the future, not ${text}.`)
  return at
}

/** @returns milliseconds since the epoch; undefined for another text */
function endOf(text: string, now: number): number | undefined {
  const { count, unit } = amount.exec(text)?.groups ?? {}
  if (unit !== undefined) return now + Number(count) * (unit === 'd' ? 24 : 1) * hourMs
  return parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
}

function daysUnused(text: string): number | null {
  if (text === never) return null
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (days < 1 || days > tokenUnusedDaysMax)
    throw wrong(`--unused-days must be 1 to ${String(tokenUnusedDaysMax)}, or ${never}, not ${quoted(text)}.`)
  return days
}

function networks(given: readonly string[]): readonly string[] {
  const entries = given.flatMap((text) => text.split(',')).map((text) => text.trim())
  if (entries.length === 1 && entries[0] === any) return []
  if (entries.includes(any)) throw wrong(`--network ${any} is for every network: give no other network with it.`)
  try {
    return checkNetworks(entries)
  } catch (error) {
    throw inTermsOf('--network', error, 2)
  }
}

/** For how long the value before a rotation works: `24h`. @returns hours; 0 if undefined @throws OperatorError */
export function keepHours(text: string | undefined): number {
  if (text === undefined) return 0
  const hours = Number(/^(\d{1,2})h$/.exec(text)?.[1])
  if (hours >= 0 && hours <= tokenKeepHoursMax) return hours
  throw wrong(`--keep must be 0h to ${String(tokenKeepHoursMax)}h, not ${quoted(text)}.`)
}
