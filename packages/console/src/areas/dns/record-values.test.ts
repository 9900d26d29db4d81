import { describe, expect, it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { emptyDraft, emptyParts, formatTtl, fullName, inputOf, partsOf, ttlPresets, valueOf } from './record-values.js'

describe('values of records', () => {
  it.each([
    ['A', '192.0.2.1'],
    ['MX', 'mail.example.com'],
    ['SRV', '10 5060 sip.example.com'],
    ['SRV', '0 0 .'],
    ['CAA', '0 issue "letsencrypt.org; validationmethods=dns-01"'],
    ['CAA', String.raw`128 iodef "mailto:a\"b\\c@example.com"`],
    ['TXT', 'v=spf1 "quoted" -all'],
  ] as const)('%s %s is the same after editing', (type, value) => {
    expect(valueOf(type, partsOf(type, value))).toBe(value)
  })

  it.each([
    ['broken lines', 'v=DKIM1; p=AAAA\n  BBBB\r\nCCCC\n', 'v=DKIM1; p=AAAABBBBCCCC'],
    ['quoted strings', '"v=DKIM1; p=AAAA"\n"BBBB"', '"v=DKIM1; p=AAAA" "BBBB"'],
  ])('joins the lines of a TXT record: %s', (_, value, joined) => {
    expect(valueOf('TXT', { ...emptyParts, value })).toBe(joined)
  })

  it('keeps the value when the type changes', () => {
    const parts = { ...emptyParts, value: 'mail.example.com' }
    expect(recordTypes.every((type) => valueOf(type, parts).includes('mail.example.com'))).toBe(true)
  })

  it('sends a priority only for types that have one', () => {
    expect(inputOf({ ...emptyDraft, type: 'MX', priority: 10 })).toMatchObject({ priority: 10 })
    expect(inputOf({ ...emptyDraft, type: 'MX', priority: '' })).not.toHaveProperty('priority')
    expect(inputOf({ ...emptyDraft, type: 'A', priority: 10 })).not.toHaveProperty('priority')
  })
})

it.each([
  ['', 'example.com'],
  ['@', 'example.com'],
  [' www ', 'www.example.com'],
  ['_sip._tcp', '_sip._tcp.example.com'],
])('the full name of %j is %s', (host, name) => {
  expect(fullName('example.com', host)).toBe(name)
})

it.each([
  [60, '1 min'],
  [90, '90 s'],
  [3600, '1 h'],
  [86_400, '1 d'],
])('a ttl of %i is shown as %s', (ttl, text) => {
  expect(formatTtl(ttl)).toBe(text)
})

it('offers only ttls within the limits', () => {
  expect(ttlPresets({ minimum: 300, maximum: 3600 }).map(([seconds]) => seconds)).toEqual([300, 3600])
})
