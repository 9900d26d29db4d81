import { expect, it } from 'vitest'
import { wantedCertificates } from './wanted.js'

it.each([
  ['https://api.example.com', 'example.net', [['example.net', '*.example.net'], ['api.example.com']]],
  ['https://api.example.net', 'example.net', [['example.net', '*.example.net']]],
  ['https://example.net', 'example.net', [['example.net', '*.example.net']]],
  ['https://deep.api.example.net', 'example.net', [['example.net', '*.example.net'], ['deep.api.example.net']]],
  ['http://api.example.com', 'example.net', [['example.net', '*.example.net']]],
  ['https://192.0.2.1', 'localhost', []],
  ['https://[2001:db8::1]', 'svc.localhost', []],
  [undefined, 'localhost', []],
])('with %s and sites below %s', (publicUrl, sitesDomain, expected) => {
  expect(wantedCertificates({ publicUrl, sitesDomain })).toEqual(expected)
})
