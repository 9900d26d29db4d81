import { badRequest, notFound } from '@svc/contract'
import { isCurrency } from '../../ports/rates/iso-4217.js'
import type { UsdRates } from '../../ports/rates/port.js'
import { quoted } from '../../shared/quoted.js'

/** The query of `GET /v1/public/fx`, with codes in upper case. */
export interface RatesQuery {
  readonly base: string
  /** Without duplicates, in the order of the query; undefined for all currencies. */
  readonly symbols: readonly string[] | undefined
}

/** @throws ApiError `bad_request` for a text that is not an ISO 4217 code, such as an empty one */
export function ratesQuery(query: { readonly base?: string; readonly symbols?: string }): RatesQuery {
  const symbols = query.symbols?.split(',').map((symbol) => currency('symbols', symbol.trim()))
  return { base: currency('base', query.base ?? 'USD'), symbols: symbols && [...new Set(symbols)] }
}

function currency(field: 'base' | 'symbols', given: string): string {
  // The form is checked first: upper-casing turns some other characters into letters, such as the long s into S.
  const code = /^[a-z]{3}$/i.test(given) ? given.toUpperCase() : ''
  if (isCurrency(code)) return code
  if (field === 'base') throw badRequest(field, `must be an ISO 4217 code such as EUR, not ${quoted(given)}`)
  throw badRequest(
    field,
    `must be ISO 4217 codes separated by commas, such as EUR,GBP; ${quoted(given)} is not an ISO 4217 code`,
  )
}

/** About the precision of the source; further digits would come from the division alone. */
const significantDigits = 8

/**
 * How much of each currency one unit of the base buys. The base is included, with the rate 1.
 * @throws ApiError `not_found` for an ISO 4217 code without a rate
 */
export function ratesFor({ base, symbols }: RatesQuery, { perUsd }: UsdRates): Record<string, number> {
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
