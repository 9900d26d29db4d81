import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { areas } from '@svc/contract'
import { RawJson } from '../../http/answer.js'
import type { Context } from '../../http/handler.js'
import type { Rates } from '../../ports/rates/port.js'
import { publicHandlers } from './handlers.js'

const none = { params: {}, query: {}, body: {} }
const query = <Q>(given: Q) => ({ ...none, query: given })

const context: Context = {
  ip: '9.9.9.9',
  requestId: 'req_test',
  behindTrustedProxy: true,
  hasLeft: false,
  header: (name) => (name === 'cf-ipcountry' ? 'FR' : undefined),
}

const fetchedAt = Date.parse('2026-11-20T09:00:00Z')
const perUsd = new Map([
  ['EUR', 0.86],
  ['GBP', 0.74],
  ['USD', 1],
])
const rates = { current: vi.fn<Rates['current']>() }
const countries = { countryOf: () => 'CH' }
const handlers = publicHandlers({ rates, countries, geoHeader: 'CF-IPCountry' })

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T09:30:00Z') })
  rates.current.mockReset().mockResolvedValue({ rates: { fetchedAt, perUsd }, cached: true })
})
afterEach(() => vi.useRealTimers())

describe('public', () => {
  it("time and timestamp answer the current time in the form of the contract's example", () => {
    expect(handlers.time(none, context)).toEqual(new RawJson(JSON.stringify(areas.public.time.example.data)))
    expect(handlers.timestamp(none, context)).toEqual(areas.public.timestamp.example.data)
  })

  it("ip answers the client's address", () => {
    expect(handlers.ip(none, context)).toEqual({ ip: '9.9.9.9', version: 4 })
  })

  it('geo reads the header in any case of the configured name', () => {
    expect(handlers.geo(none, context)).toEqual({ country: 'FR', known: true })
    expect(publicHandlers({ rates, countries }).geo(none, context)).toEqual({ country: 'CH', known: true })
  })

  it('fx answers with the time at which the rates were fetched', async () => {
    expect(await handlers.fx(query({ base: 'usd', symbols: 'GBP,EUR' }), context)).toEqual({
      base: 'USD',
      rates: { GBP: 0.74, EUR: 0.86 },
      fetched_at: '2026-11-20T09:00:00.000Z',
      cached: true,
    })
  })

  it('fx answers cached: false if it waited for a fetch', async () => {
    rates.current.mockResolvedValue({ rates: { fetchedAt, perUsd }, cached: false })
    expect(await handlers.fx(none, context)).toMatchObject({ cached: false, rates: Object.fromEntries(perUsd) })
  })

  it('fx answers 400 bad_request for an unknown currency, without a fetch', async () => {
    await expect(handlers.fx(query({ base: 'BTC' }), context)).rejects.toMatchObject({ code: 'bad_request' })
    expect(rates.current).not.toHaveBeenCalled()
  })

  it("hash answers like the contract's example", () => {
    expect(handlers.hash(query({ value: 'hello', algo: 'sha256' as const }), context)).toEqual(
      areas.public.hash.example.data,
    )
  })
})
