import { describe, expect, it } from 'vitest'
import { operatorZones } from './operator-zones.js'

const names = {
  nameservers: ['ns1.example.net', 'ns1.thingdust.io', 'a.ns.example.co.uk', 'ns1.me.s3.amazonaws.com', 'ns.home.arpa'],
  publicUrl: 'https://api.platform.example:8443',
  sitesDomain: 'sites.example.org',
}

describe('zones that the operator keeps', () => {
  const { has } = operatorZones(names)

  it.each([
    'example.net',
    'example.co.uk',
    'me.s3.amazonaws.com',
    'home.arpa',
    'platform.example',
    'example.org',
    // Above a nameserver: its holder could answer for the nameserver's name.
    'amazonaws.com',
    // Below the domain of a nameserver, and a private suffix.
    'shop.cust.prod.thingdust.io',
    // A site.
    'ada.sites.example.org',
  ])('the zones that the operator keeps include %s', (zone) => expect(has(zone)).toBe(true))

  it.each([
    'example.com',
    'ns2-example.net',
    'xexample.net',
    'ada.example',
    'sites.example.com',
    'other.s3.amazonaws.com',
  ])('the zones that the operator keeps do not include %s', (zone) => expect(has(zone)).toBe(false))

  it('the zones that the operator keeps do not include names below localhost or of an address', () => {
    const local = operatorZones({
      nameservers: ['ns1.localhost'],
      publicUrl: 'http://[::1]:80',
      sitesDomain: 'localhost',
    })
    expect(['ns1.localhost', 'ada.localhost', '1.2.0.192.in-addr.arpa'].map(local.has)).toEqual([true, false, false])
    expect(local.below).toBeUndefined()
  })

  it('the zones that the operator keeps include the sites below a domain that is a public suffix', () => {
    const { has: kept } = operatorZones({ nameservers: [], publicUrl: undefined, sitesDomain: 'lan' })
    expect(['ada.lan', 'content.lan', 'ada.home'].map(kept)).toEqual([true, true, false])
  })
})
