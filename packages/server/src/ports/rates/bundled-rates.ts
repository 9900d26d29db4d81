import { readFileSync } from 'node:fs'
import type { UsdRates } from './port.js'
import { usdRatesOf } from './usd-rates.js'

/** `data/` of this package: as far away from src/ as from dist/. */
export const bundleUrl = new URL('../../../data/exchange-rates.json', import.meta.url)

/** The rates that came with the server, for a first start without a network. */
export function bundledRates(): UsdRates {
  const bundle = JSON.parse(readFileSync(bundleUrl, 'utf8')) as { date: string }
  return { fetchedAt: Date.parse(bundle.date), perUsd: usdRatesOf(bundle) }
}
