import { expect, it } from 'vitest'
import { privateNameOf } from './private-names.js'

it.each([
  ['home.lan', 'lan', 'RFC 6762, appendix G'],
  ['corp.internal', 'internal', 'ICANN resolution 2024.07.29.06'],
  ['printer.local', 'local', 'RFC 6762'],
  ['home.arpa', 'home.arpa', 'RFC 8375'],
  ['app.localhost', 'localhost', 'RFC 6761'],
  ['wallet.alt', 'alt', 'RFC 9476'],
  ['10.in-addr.arpa', '10.in-addr.arpa', 'RFC 1918'],
  ['3.2.10.in-addr.arpa', '10.in-addr.arpa', 'RFC 1918'],
  ['16.172.in-addr.arpa', '16.172.in-addr.arpa', 'RFC 1918'],
  ['31.172.in-addr.arpa', '31.172.in-addr.arpa', 'RFC 1918'],
  ['1.168.192.in-addr.arpa', '168.192.in-addr.arpa', 'RFC 1918'],
  ['127.100.in-addr.arpa', '127.100.in-addr.arpa', 'RFC 7793'],
  ['0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa', 'd.f.ip6.arpa', 'RFC 6303, section 4.4'],
  [`1.${'0.'.repeat(31)}ip6.arpa`, `1.${'0.'.repeat(31)}ip6.arpa`, 'RFC 6303, section 4.3'],
  [`${'0.'.repeat(32)}ip6.arpa`, `${'0.'.repeat(32)}ip6.arpa`, 'RFC 6303, section 4.3'],
])('%s is not in the public DNS', (zone, name, source) => {
  expect(privateNameOf(zone)).toEqual({ name, source })
})

it.each([
  'example.com',
  'lan.com',
  'mylan',
  'app.test',
  'shop.example',
  '2.0.192.in-addr.arpa',
  '15.172.in-addr.arpa',
  '32.172.in-addr.arpa',
  '172.in-addr.arpa',
  '63.100.in-addr.arpa',
  '0.3.192.in-addr.arpa',
  'c.f.ip6.arpa',
  '0.ip6.arpa',
])('%s can be in the public DNS', (zone) => {
  expect(privateNameOf(zone)).toBeUndefined()
})
