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

const looked: string[] = []
const countries = {
  countryOf(ip: string) {
    looked.push(ip)
    return ip === '9.9.9.9' ? 'CH' : null
  },
}

const from = (ip: string, behindTrustedProxy: boolean, headers: Record<string, string> = {}): Context => ({
  ip,
  behindTrustedProxy,
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
    looked.length = 0
    const answer = countryOf(from('9.9.9.9', true, { 'cf-ipcountry': value }), 'cf-ipcountry', countries)
    expect(answer).toEqual({ country, known: country !== null })
    expect(looked).toEqual([])
  })

  it.each([
    ['did not pass the edge, with any header', from('9.9.9.9', false, { 'cf-ipcountry': 'DE' }), 'cf-ipcountry'],
    ['the edge sent without the header', from('9.9.9.9', true), 'cf-ipcountry'],
    ['came to a server without an edge', from('9.9.9.9', true, { 'cf-ipcountry': 'DE' }), undefined],
  ])('asks the database about a request that %s', (_, context, edgeHeader) => {
    expect(countryOf(context, edgeHeader, countries)).toEqual({ country: 'CH', known: true })
  })

  it('null if the database does not know the address', () => {
    expect(countryOf(from('192.0.2.7', false), undefined, countries)).toEqual({ country: null, known: false })
  })
})
