import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { bundledRates } from './bundled-rates.js'
import { isCurrency } from './iso-4217.js'
import { toJson, usdRatesOf } from './usd-rates.js'

describe('usdRatesOf', () => {
  it('returns the currencies of ISO 4217 including USD, in alphabetical order, and nothing else', () => {
    const answer = {
      date: '2026-09-29',
      usd: { jpy: 150, btc: 0.00001, '1inch': 9.9, EUR: 0.86, xau: 0.0002, ats: -1 },
    }
    expect([...usdRatesOf(answer)]).toEqual([
      ['EUR', 0.86],
      ['JPY', 150],
      ['USD', 1],
      ['XAU', 0.0002],
    ])
  })

  it('parses the output of toJson', () => {
    const { perUsd } = bundledRates()
    expect([...usdRatesOf(JSON.parse(toJson(perUsd)))]).toEqual([...perUsd])
  })

  it.each([
    [null, 'The answer is not an object of exchange rates.'],
    ['rates', 'The answer is not an object of exchange rates.'],
    [[{ eur: 1 }], 'The answer is not an object of exchange rates.'],
    [{ eur: { usd: 1.16 } }, 'Its "usd" is not an object of exchange rates.'],
    [{ usd: [0.86] }, 'Its "usd" is not an object of exchange rates.'],
    [{ usd: {} }, 'The answer has no rate of any ISO 4217 currency.'],
    [{ usd: { usd: 1 } }, 'The answer has no rate of any ISO 4217 currency.'],
    [{ usd: { btc: 0.00001 } }, 'The answer has no rate of any ISO 4217 currency.'],
    [{ usd: { usd: 0.86, eur: 1 } }, 'One USD cannot be 0.86 USD.'],
    [{ usd: { gbp: 0.74, eur: -0.86 } }, 'One USD cannot be -0.86 EUR.'],
    [{ usd: { eur: 0 } }, 'One USD cannot be 0 EUR.'],
    [{ usd: { eur: 1e300 } }, 'One USD cannot be 1e+300 EUR.'],
    [{ usd: { eur: 1e-300 } }, 'One USD cannot be 1e-300 EUR.'],
    [{ usd: { eur: '0.86' } }, 'One USD cannot be "0.86" EUR.'],
    [{ usd: { eur: null } }, 'One USD cannot be null EUR.'],
  ])('rejects %j', (answer, message) => {
    expect(() => usdRatesOf(answer)).toThrow(message)
  })
})

describe('bundledRates', () => {
  it('the bundled rates equal the rates and date of the development dependency (if not, run make-bundle.ts)', () => {
    const source = createRequire(import.meta.url).resolve('@fawazahmed0/currency-api/v1/currencies/usd.min.json')
    const published = JSON.parse(readFileSync(source, 'utf8'))
    const bundled = bundledRates()
    expect([...bundled.perUsd]).toEqual([...usdRatesOf(published)])
    expect(new Date(bundled.fetchedAt).toISOString()).toBe(`${published.date}T00:00:00.000Z`)
    expect(bundled.perUsd.size).toBeGreaterThan(150)
  })
})

describe('isCurrency', () => {
  it.each(['USD', 'EUR', 'JPY', 'XAU', 'CLF', 'XTS', 'XXX'])('isCurrency is true for %s', (code) => {
    expect(isCurrency(code)).toBe(true)
  })
  it.each(['BTC', 'ETH', 'usd', 'ATS', 'ZZZ', ''])('isCurrency is false for %j', (code) => {
    expect(isCurrency(code)).toBe(false)
  })
})
