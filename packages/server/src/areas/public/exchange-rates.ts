import { badRequest, notFound } from '@svc/contract'
import { isCurrency } from '../../ports/rates/iso-4217.js'
import type { UsdRates } from '../../ports/rates/port.js'

/** What is asked of `GET /v1/public/fx`, in upper case. */
export interface AskedRates {
  readonly base: string
  /** Each once, in the order asked for; undefined for all there are. */
  readonly symbols: readonly string[] | undefined
}

/** @throws ApiError `bad_request` for what is no ISO 4217 code, the empty text included */
export function askedRates(query: { readonly base?: string; readonly symbols?: string }): AskedRates {
  const symbols = query.symbols?.split(',').map((symbol) => currency('symbols', symbol.trim()))
  return { base: currency('base', query.base ?? 'USD'), symbols: symbols && [...new Set(symbols)] }
}

/** How many characters of what came a message repeats. */
const longest = 40

function currency(field: 'base' | 'symbols', given: string): string {
  // The form first: upper-casing makes letters of what is none, an S of the long s among them.
  const code = /^[a-z]{3}$/i.test(given) ? given.toUpperCase() : ''
  if (isCurrency(code)) return code
  const came = JSON.stringify(given.length > longest ? `${given.slice(0, longest)}…` : given)
  if (field === 'base') throw badRequest(field, `must be an ISO 4217 code such as EUR, not ${came}.`)
  throw badRequest(field, `must be ISO 4217 codes separated by commas, such as EUR,GBP; ${came} is none.`)
}

/** About what the source gives; more would be the noise of the division. */
const significantDigits = 8

/**
 * How much of each currency one unit of the base buys; the base itself is among them, at 1.
 * @throws ApiError `not_found` for an ISO 4217 code without a rate
 */
export function ratesFor({ base, symbols }: AskedRates, { perUsd }: UsdRates): Record<string, number> {
  const ofBase = rateOf(base, perUsd)
  const cross = (rate: number) => (base === 'USD' ? rate : Number((rate / ofBase).toPrecision(significantDigits)))
  return Object.fromEntries(
    symbols === undefined
      ? Array.from(perUsd, ([code, rate]) => [code, cross(rate)])
      : symbols.map((code) => [code, cross(rateOf(code, perUsd))]),
  )
}

function rateOf(code: string, perUsd: UsdRates['perUsd']): number {
  const rate = perUsd.get(code)
  if (rate === undefined) throw notFound(`exchange rate for ${code}`)
  return rate
}
