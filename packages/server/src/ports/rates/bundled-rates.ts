import { readFileSync } from 'node:fs'
import type { UsdRates } from './port.js'
import { usdRatesOf } from './usd-rates.js'

/** The bundled rates in `data/` of this package. The relative path is the same from src/ and from dist/. */
export const bundleUrl = new URL('../../../data/exchange-rates.json', import.meta.url)

/** The rates in the package, for a first start without a network. */
export function bundledRates(): UsdRates {
  const bundle = JSON.parse(readFileSync(bundleUrl, 'utf8')) as { date: string }
  return { fetchedAt: Date.parse(bundle.date), perUsd: usdRatesOf(bundle) }
}
