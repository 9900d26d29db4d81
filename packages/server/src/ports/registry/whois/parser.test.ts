import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { WhoisRecord } from './parser.js'
import { decodeWhois } from './text.js'
import { readWhois } from './read-whois.js'

const recorded = (name: string): string =>
  decodeWhois(readFileSync(new URL(`../../../../test/whois/${name}.txt`, import.meta.url)))

const time = (iso: string): number => Date.parse(iso)
const signed = { dnssec: true }
const unsigned = { dnssec: false }
const example = { nameservers: ['ns1.example.net', 'ns2.example.net'] }

type Expected = Partial<Omit<WhoisRecord, 'createdAt' | 'updatedAt' | 'expiresAt'>> & {
  readonly times: readonly [created: string | null, updated: string | null, expires: string | null]
}

it.each<[string, string, Expected]>([
  [
    'com',
    'example.com',
    {
      registrar: 'Example Registrar, Inc.',
      times: ['1995-08-14T04:00:00Z', '2026-08-14T07:01:44Z', '2027-08-13T04:00:00Z'],
      statuses: ['clientDeleteProhibited', 'clientTransferProhibited'],
      referral: 'whois.registrar.example',
      ...example,
      ...signed,
    },
  ],
  [
    'org',
    'example.org',
    {
      registrar: 'Example Registrar, Inc.',
      times: ['1995-08-31T04:00:00Z', '2026-09-01T12:00:00Z', '2027-08-30T04:00:00Z'],
      nameservers: ['a.example.net', 'b.example.net'],
      statuses: ['serverTransferProhibited'],
      ...unsigned,
    },
  ],
  [
    'de',
    'example.de',
    {
      registrar: null,
      times: [null, '2026-03-12T20:44:25Z', null],
      nameservers: ['ns1.example.de', 'ns2.example.net'],
      statuses: ['connect'],
      ...signed,
    },
  ],
  [
    'uk',
    'example.co.uk',
    {
      registrar: 'Example Registrar Ltd t/a Examples',
      times: ['1996-08-01T00:00:00Z', '2026-02-09T00:00:00Z', '2027-12-13T00:00:00Z'],
      statuses: ['Registered until expiry date.'],
      dnssec: null,
      ...example,
    },
  ],
  [
    'jp',
    'example.jp',
    {
      registrar: null,
      times: ['2001-03-26T00:00:00Z', '2026-03-31T16:05:04Z', '2027-03-31T00:00:00Z'],
      nameservers: ['ns1.example.jp', 'ns2.example.net'],
      statuses: ['Active'],
      dnssec: null,
    },
  ],
  [
    'co.jp',
    'example.co.jp',
    {
      registrar: null,
      times: ['1996-06-12T00:00:00Z', '2026-06-30T16:02:03Z', '2027-06-30T00:00:00Z'],
      nameservers: ['ns1.example.jp', 'ns2.example.net'],
      statuses: ['Connected (2027/06/30)'],
      ...signed,
    },
  ],
  [
    'fr',
    'example.fr',
    {
      registrar: 'EXAMPLE REGISTRAR',
      times: [null, '2026-01-27T10:06:40Z', '2027-02-19T04:09:07Z'],
      nameservers: ['ns1.example.net', 'ns2.example.fr'],
      statuses: ['ACTIVE', 'serverTransferProhibited'],
      dnssec: null,
    },
  ],
  [
    'io',
    'example.io',
    {
      registrar: 'Example Registrar, Inc.',
      times: ['2010-12-01T12:20:15Z', '2026-01-15T23:05:59Z', '2026-12-01T12:20:15Z'],
      nameservers: ['ns1.example.net'],
      referral: undefined,
      ...unsigned,
    },
  ],
  [
    'it',
    'example.it',
    {
      registrar: 'Example Registrar s.p.a.',
      times: ['1999-12-10T00:00:00Z', '2026-05-07T00:57:14Z', '2027-04-21T00:00:00Z'],
      nameservers: ['ns1.example.it', 'ns2.example.net'],
      statuses: ['ok'],
      ...signed,
    },
  ],
  [
    'nl',
    'example.nl',
    {
      registrar: 'Example Registrar B.V.',
      times: ['1999-05-27T00:00:00Z', '2026-07-29T00:00:00Z', null],
      nameservers: ['ns1.example.nl', 'ns2.example.net'],
      statuses: ['active'],
      ...signed,
    },
  ],
  [
    'br',
    'example.com.br',
    {
      registrar: null,
      times: ['1999-05-18T00:00:00Z', '2026-04-17T00:00:00Z', '2027-05-18T00:00:00Z'],
      statuses: ['published'],
      ...example,
    },
  ],
  [
    'pl',
    'example.pl',
    {
      registrar: 'Example Registrar Sp. z o.o.',
      times: ['2000-03-23T12:00:00Z', '2026-02-27T10:41:14Z', '2027-03-22T13:00:00Z'],
      nameservers: ['ns1.example.net', 'ns2.example.pl'],
      statuses: [],
      ...unsigned,
    },
  ],
  [
    'cz',
    'example.cz',
    {
      registrar: 'REG-EXAMPLE',
      times: ['1996-02-14T01:00:00Z', '2026-09-20T11:18:20Z', '2027-02-13T00:00:00Z'],
      nameservers: ['ns1.example.cz', 'ns2.example.net'],
      ...signed,
    },
  ],
  [
    'kr',
    'example.kr',
    {
      registrar: 'Example Agency, Inc.(http://registrar.example)',
      times: ['2000-11-20T00:00:00Z', '2026-08-05T00:00:00Z', '2027-11-20T00:00:00Z'],
      ...example,
      ...unsigned,
    },
  ],
  [
    'eu',
    'example.eu',
    { registrar: 'Example Registrar', times: [null, null, null], nameservers: ['ns1.example.eu', 'ns2.example.net'] },
  ],
])('reads the answer of the registry of .%s', (name, domain, { times, ...expected }) => {
  const [createdAt, updatedAt, expiresAt] = times.map((iso) => (iso === null ? null : time(iso)))
  const record = readWhois(recorded(name), domain)
  expect(record).toMatchObject(expected)
  const second = (ms: number | null | undefined) =>
    ms === null || ms === undefined ? ms : Math.floor(ms / 1000) * 1000
  expect([record?.createdAt, record?.updatedAt, record?.expiresAt].map(second)).toEqual([
    createdAt,
    updatedAt,
    expiresAt,
  ])
})

it('reads a long hostile answer in a time that grows with its length', () => {
  const hostile = [
    `${'a'.repeat(400)}: `.repeat(600),
    `${'.'.repeat(200)}: x\n`.repeat(1200),
    `${' '.repeat(60)}x\n`.repeat(4000),
    `Registrar:\n${`\tx\n`.repeat(80_000)}`,
    'a. ['.repeat(60_000),
    '\r'.repeat(256 * 1024),
    `${'rate '.repeat(39)}\n`.repeat(1300),
    `your ${'is '.repeat(64)}\n`.repeat(1300),
    `Status: ${'('.repeat(250_000)}`,
    `${'["\'('.repeat(60)}\n`.repeat(1000),
    `error ${'limit '.repeat(30)}\n`.repeat(1400),
    `Domain Name: example.com\n${'Name Server: ns.example.net\n'.repeat(9000)}`,
  ]
  for (const text of hostile) {
    // The shortest of up to a hundred runs: other processes interrupt some of them.
    let shortest = Infinity
    for (let run = 0; run < 100 && shortest >= 20; run++) shortest = Math.min(shortest, readMs(Buffer.from(text)))
    expect(shortest).toBeLessThan(20)
  }
})

function readMs(bytes: Buffer): number {
  const began = performance.now()
  try {
    readWhois(decodeWhois(bytes), 'example.com')
  } catch {
    // Most of them say nothing. Only the time matters here.
  }
  return performance.now() - began
}
