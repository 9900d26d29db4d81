import { describe, expect, it } from 'vitest'
import type { Context } from '../../http/handler.js'
import { addressOf, countryOf } from './address.js'

describe('addressOf', () => {
  it.each([
    ['192.0.2.7', 4],
    ['2001:db8::7', 6],
    ['::1', 6],
  ])('%s has version %d', (ip, version) => {
    expect(addressOf(ip)).toEqual({ ip, version })
  })
})

const lookedUp: string[] = []
const countries = {
  countryOf(ip: string) {
    lookedUp.push(ip)
    return ip === '9.9.9.9' ? 'CH' : null
  },
}

const from = (ip: string, behindTrustedProxy: boolean, headers: Record<string, string> = {}): Context => ({
  ip,
  requestId: 'req_test',
  behindTrustedProxy,
  hasLeft: false,
  header: (name) => headers[name],
})

describe('countryOf', () => {
  it.each([
    ['DE', 'DE'],
    ['de', 'DE'],
    ['XX', null],
    ['T1', null],
    ['', null],
    ['DEU', null],
    ['DE, FR', null],
    ['ÄÖ', null],
  ])("uses the edge's %j without a look-up", (value, country) => {
    lookedUp.length = 0
    const answer = countryOf(from('9.9.9.9', true, { 'cf-ipcountry': value }), 'cf-ipcountry', countries)
    expect(answer).toEqual({ country, known: country !== null })
    expect(lookedUp).toEqual([])
  })

  it.each([
    ['bypassed the edge, with any header', from('9.9.9.9', false, { 'cf-ipcountry': 'DE' }), 'cf-ipcountry'],
    ['came from the edge without the header', from('9.9.9.9', true), 'cf-ipcountry'],
    ['came to a server without an edge', from('9.9.9.9', true, { 'cf-ipcountry': 'DE' }), undefined],
  ])('looks up the address in the database for a request that %s', (_, context, edgeHeader) => {
    expect(countryOf(context, edgeHeader, countries)).toEqual({ country: 'CH', known: true })
  })

  it('the country is null if the database does not know the address', () => {
    expect(countryOf(from('192.0.2.7', false), undefined, countries)).toEqual({ country: null, known: false })
  })
})
