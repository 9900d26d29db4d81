import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { bundleUrl } from './bundled-rates.js'
import { usdRatesOf } from './usd-rates.js'

/** Updates the bundled rates from the development dependency: `npx tsx packages/server/src/ports/rates/make-bundle.ts`. */

const source = createRequire(import.meta.url).resolve('@fawazahmed0/currency-api/v1/currencies/usd.min.json')
const published = JSON.parse(readFileSync(source, 'utf8')) as { date: string }
const bundle = { date: published.date, usd: Object.fromEntries(usdRatesOf(published)) }
writeFileSync(bundleUrl, `${JSON.stringify(bundle, null, 2)}\n`)
