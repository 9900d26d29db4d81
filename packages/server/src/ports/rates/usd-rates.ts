import { shortened } from '../../shared/quoted.js'
import { isCurrency } from './iso-4217.js'
import type { UsdRates } from './port.js'

/** The range of plausible rates. A rate outside of it is an error of the source, and its cross rates could overflow. */
const least = 1e-12
const most = 1e12

/**
 * Reads rates in the layout of fawazahmed0/exchange-api: `{ "date": "2026-09-29", "usd": { "eur": 0.86, … } }`. Codes that
 * are not in ISO 4217, such as cryptocurrencies, are skipped. One implausible rate makes the whole answer invalid.
 * @throws Error that names the problem
 */
export function usdRatesOf(answer: unknown): UsdRates['perUsd'] {
  const listed = object(object(answer, 'The answer')['usd'], 'Its "usd"')
  const perUsd = new Map<string, number>()
  for (const [name, rate] of Object.entries(listed)) {
    const code = name.toUpperCase()
    if (isCurrency(code)) perUsd.set(code, plausible(code, rate))
  }
  // The source may omit the rate of USD itself.
  if ((perUsd.get('USD') ?? 1) !== 1) throw new Error(`One USD cannot be ${String(perUsd.get('USD'))} USD.`)
  perUsd.delete('USD')
  if (perUsd.size === 0) throw new Error('The answer has no rate of any ISO 4217 currency.')
  return new Map([...perUsd, ['USD', 1] as const].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The rates as JSON in the same layout, for the database. */
export const toJson = (perUsd: UsdRates['perUsd']): string => JSON.stringify({ usd: Object.fromEntries(perUsd) })

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(`${what} is not an object of exchange rates.`)
}

function plausible(code: string, rate: unknown): number {
  if (typeof rate === 'number' && rate >= least && rate <= most) return rate
  throw new Error(`One USD cannot be ${shortened(JSON.stringify(rate))} ${code}.`)
}
