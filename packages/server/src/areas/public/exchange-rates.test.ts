import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { ratesQuery, ratesFor } from './exchange-rates.js'

const rates = {
  fetchedAt: 0,
  perUsd: new Map([
    ['EUR', 0.86000123],
    ['GBP', 0.74],
    ['JPY', 150.5],
    ['USD', 1],
  ]),
}

describe('ratesQuery', () => {
  it.each([
    [{}, { base: 'USD', symbols: undefined }],
    [{ base: 'eur' }, { base: 'EUR', symbols: undefined }],
    [{ symbols: 'EUR' }, { base: 'USD', symbols: ['EUR'] }],
    [
      { base: 'Gbp', symbols: ' jpy , EUR,usd ' },
      { base: 'GBP', symbols: ['JPY', 'EUR', 'USD'] },
    ],
    [{ symbols: 'EUR,eur,GBP,EUR' }, { base: 'USD', symbols: ['EUR', 'GBP'] }],
    [
      { base: 'XTS', symbols: 'XAU,CLF' },
      { base: 'XTS', symbols: ['XAU', 'CLF'] },
    ],
  ])('parses %j', (query, parsed) => {
    expect(ratesQuery(query)).toEqual(parsed)
  })

  it.each([
    [{ base: 'BTC' }, 'base must be an ISO 4217 code such as EUR, not "BTC".'],
    [{ base: '' }, 'base must be an ISO 4217 code such as EUR, not "".'],
    [{ base: 'EURO' }, 'base must be an ISO 4217 code such as EUR, not "EURO".'],
    // The long s is an S in upper case.
    [{ base: 'uſd' }, 'base must be an ISO 4217 code such as EUR, not "uſd".'],
    [{ base: 'E\nR' }, String.raw`base must be an ISO 4217 code such as EUR, not "E\nR".`],
    [{ base: 'x'.repeat(9999) }, `base must be an ISO 4217 code such as EUR, not "${'x'.repeat(60)}…".`],
    [
      { symbols: 'EUR,DOGE' },
      'symbols must be ISO 4217 codes separated by commas, such as EUR,GBP; "DOGE" is not an ISO 4217 code.',
    ],
    [
      { symbols: '' },
      'symbols must be ISO 4217 codes separated by commas, such as EUR,GBP; "" is not an ISO 4217 code.',
    ],
    [
      { symbols: 'EUR,' },
      'symbols must be ISO 4217 codes separated by commas, such as EUR,GBP; "" is not an ISO 4217 code.',
    ],
    [
      { symbols: 'EUR, ,GBP' },
      'symbols must be ISO 4217 codes separated by commas, such as EUR,GBP; "" is not an ISO 4217 code.',
    ],
    [
      { symbols: 'EUR;GBP' },
      'symbols must be ISO 4217 codes separated by commas, such as EUR,GBP; "EUR;GBP" is not an ISO 4217 code.',
    ],
  ])('400 bad_request for %j', (query, message) => {
    expect(() => ratesQuery(query)).toThrow(new ApiError('bad_request', message))
  })
})

describe('ratesFor', () => {
  it("all currencies are listed in the source's alphabetical order if no symbols are given", () => {
    const all = ratesFor({ base: 'USD', symbols: undefined }, rates)
    expect(Object.entries(all)).toEqual([...rates.perUsd])
  })

  it('has the symbols in the order of the query', () => {
    const asked = ratesFor({ base: 'USD', symbols: ['USD', 'JPY', 'EUR'] }, rates)
    expect(Object.entries(asked)).toEqual([
      ['USD', 1],
      ['JPY', 150.5],
      ['EUR', 0.86000123],
    ])
  })

  it('computes other bases from the rates of the dollar, to eight digits', () => {
    expect(ratesFor({ base: 'EUR', symbols: undefined }, rates)).toEqual({
      EUR: 1,
      GBP: 0.86046389,
      JPY: 174.99975,
      USD: 1.162789,
    })
  })

  it.each([
    [{ base: 'USD', symbols: ['EUR', 'XTS'] }, 'XTS'],
    [{ base: 'KPW', symbols: ['EUR'] }, 'KPW'],
    [{ base: 'KPW', symbols: undefined }, 'KPW'],
  ])('404 for a currency without a rate: %j', (asked, code) => {
    expect(() => ratesFor(asked, rates)).toThrow(new ApiError('not_found', `There is no exchange rate for ${code}.`))
  })
})
