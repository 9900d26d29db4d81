import { expect, it } from 'vitest'
import { RegistryError } from '../port.js'
import { readWhois } from './verdict.js'

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
])('not registered: %s', (text) => {
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
  ['', unusable],
  ['Welcome to the WHOIS service.', unusable],
  ['<html><head><title>502 Bad Gateway</title></head></html>', unusable],
  ['Domain Name: example.test', unusable],
  ['Domain Name: other.test\nRegistrar: Example', unusable],
  ['Domain Status: no such thing as free lunch is available', unusable],
])('neither data nor unregistered: %s', (text, message) => {
  let thrown: unknown
  try {
    expect(readWhois(text, 'example.test')).toBe('an error')
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(RegistryError)
  expect((thrown as Error).message).toMatch(message)
})

it('terms of use are not a refusal', () => {
  expect(readWhois(`Domain Name: EXAMPLE.TEST\nRegistrar: Example\n${notice}`, 'example.test')).toMatchObject({
    registrar: 'Example',
  })
})

it('accepts the Unicode form of an IDN', () => {
  expect(readWhois('Domain: bücher.test\nStatus: connect', 'xn--bcher-kva.test')).toMatchObject({
    statuses: ['connect'],
  })
})
