import { expect, it } from 'vitest'
import { RegistryError } from '../port.js'
import { readWhois } from './read-whois.js'

const notice = `
TERMS OF USE: Queries to the Whois services are throttled. If too many queries are received from a single IP
address within a specified time, the service will begin to reject further queries for a period of time.
Access may be withdrawn or restricted at any time.`

it.each([
  ['No match for "EXAMPLE.TEST".\n>>> Last update of whois database: 2026-11-20T10:00:00Z <<<'],
  [
    '    No match for "example.test".\n\n    This domain name has not been registered.\n\n    WHOIS lookup made at 10:00:00',
  ],
  ['% Restricted rights.\n%\nDomain: example.test\nStatus: free'],
  ['Domain:             example.test\nStatus:             AVAILABLE'],
  ['% WHOIS example.test\nDomain: example.test\nScript: LATIN\n\nStatus: AVAILABLE'],
  ['Domain:\texample.test\nStatus:\tAVAILABLE'],
  ['[ JPRS database provides information on network administration. Its use is    ]\n\nNo match!!'],
  ['%%\n%% This is the AFNIC Whois server.\n%%\n\n%% NOT FOUND'],
  ['Domain not found.\n>>> Last update of WHOIS database: 2026-11-20T10:00:00Z <<<'],
  ['NOT FOUND'],
  ['example.test is free'],
  ['% Copyright (c) Nic.br\n\n% No match for domain "example.test"'],
  ['%ERROR:101: no entries found\n%\n% No entries found.'],
  ['domain "example.test" not found.'],
  ['No entries found for the selected source(s).\n\nLast updated on 2026-11-20T10:00:00Z'],
  ['The queried object does not exist: no object found'],
  ['We do not have an entry in our database matching your query.'],
  ['No Data Found\nURL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/'],
])('reads that a domain is not registered: %s', (text) => {
  expect(readWhois(text, 'example.test')).toBeUndefined()
  expect(readWhois(`${text}\n${notice}`, 'example.test')).toBeUndefined()
})

const limited = /^The registry limits the number of requests/
const unusable = /^The answer of the registry cannot be used/

it.each<[string, RegExp]>([
  ['WHOIS LIMIT EXCEEDED - SEE WWW.REGISTRY.EXAMPLE/WHOIS FOR DETAILS', limited],
  ['% Query rate limit exceeded. Reduced information.\n\ndomain:      example.test\nnserver: ns1.example.net', limited],
  ['Error: 55000000002 Connection refused; access control limit exceeded', limited],
  ['%ERROR:201: access denied for 192.0.2.7\n%\n% Your connection limit exceeded. Please slow down.', limited],
  ['Number of allowed queries exceeded.\nStatus: available', limited],
  ['Your request is being rate limited.\nNot found', limited],
  ['Excessive querying, grace period of 300 seconds.', limited],
  ['maximum number of requests per second exceeded', limited],
  ['You have been blocked', limited],
  ['Too many simultaneous connections from your host.', limited],
  ['Sorry, try again later', limited],
  ['-1: Still in grace period, wait 9 seconds', limited],
  [
    'The number of requests per client per time interval is\nrestricted. You have exceeded this limit.\nPlease wait.',
    limited,
  ],
  ['Requests of this client are not permitted. Please use https://www.nic.ch/whois/ for queries.', limited],
  ['Service maintenance.\nLast update: 2026-11-22', unusable],
  ['The service is undergoing maintenance\nExpires: 2026-11-23 10:00 UTC', unusable],
  ['query: example.test\n\nService maintenance.\nLast update: 2026-11-22', unusable],
  ['', unusable],
  ['Welcome to the WHOIS service.', unusable],
  ['<html><head><title>502 Bad Gateway</title></head></html>', unusable],
  ['Domain Name: example.test', unusable],
  ['Domain Name: other.test\nRegistrar: Example', unusable],
  ['Domain Status: no such thing as free lunch is available', unusable],
])('reads neither data nor that a domain is not registered: %s', (text, message) => {
  let thrown: unknown
  try {
    expect(readWhois(text, 'example.test')).toBe('an error')
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(RegistryError)
  expect((thrown as Error).message).toMatch(message)
})

it.each([
  [notice],
  ['Access to the whois service is rate limited. For more information, please\nsee https://registry.example/whois.'],
  ['Queries are limited. If the limit is exceeded, access is denied, and you have to try again later.'],
  ['Your address is blocked if you exceed the limit.\nToo many requests are refused.'],
])('terms of use are not a refusal: %s', (terms) => {
  expect(readWhois(`Domain Name: EXAMPLE.TEST\nRegistrar: Example\n${terms}`, 'example.test')).toMatchObject({
    registrar: 'Example',
  })
  expect(readWhois(`Domain not found.\n${terms}`, 'example.test')).toBeUndefined()
})

it('a text of the registrant does not make a domain unregistered', () => {
  const text =
    'Domain name:\n  example.test\n\nRegistrant:\n  No match\n\nRelevant dates:\n  Expiry date: 14-Feb-2027\n'
  expect(readWhois(text, 'example.test')).toMatchObject({ expiresAt: Date.parse('2027-02-14') })
})

it.each([['Created: 2020-01-02\nExpires: 2027-01-02'], ['Whois of example.test\nCreated: 2020-01-02']])(
  'accepts data about the domain: %s',
  (text) => {
    expect(readWhois(text, 'example.test')).toMatchObject({ createdAt: Date.parse('2020-01-02') })
  },
)

it('accepts the Unicode form of an IDN', () => {
  expect(readWhois('Domain: bücher.test\nStatus: connect', 'xn--bcher-kva.test')).toMatchObject({
    statuses: ['connect'],
  })
})
