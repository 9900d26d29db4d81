import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { fullName, hostName } from '../values/host.js'
import { checkRecord, mergeRecord } from './check.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { rrsetBytes } from './rrset.js'
import { pathZone, zoneName } from '../zones/name.js'

/** The result, or undefined for a `bad_request` with a short message. Any other error fails the test. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'bad_request' && error.message.length < 400) return undefined
    throw error
  }
}

/** Fragments of names and addresses in any order: most results are nonsense, many are nearly valid. */
const pieces = fc.array(
  fc.constantFrom(
    ...['a', 'Z', '0', '1', '255', '256', '-', '_', '.', '..', '*', '@', '"', '\\', '\\"', '\\065', '\\255', ' ', '\t'],
    ...[':', '::', '/', '%', '%41', ';', '\0', '\n', 'ü', 'ß', 'İ', 'ſ', 'K', '。', '１', '\u0308', '\u200d', '\u00ad'],
    ...[
      '\ud800',
      '🎉',
      'א',
      '٠',
      'xn--',
      'xn--a',
      'XN--bcher-kva',
      'example.com',
      'EXAMPLE.com.',
      'co.uk',
      'ffff',
      '0x',
    ],
    ...['in-addr.arpa', 'ip6.arpa', 'github.io', '192.0.2.1', '2001:db8::', 'issue', 'iodef', ' 0 ', 'a'.repeat(60)],
  ),
  { maxLength: 12 },
)
const anyText = fc.oneof(
  pieces.map((parts) => parts.join('')),
  pieces.map((parts) => parts.join('.')),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
)
const runs = { numRuns: 3000 }

describe('arbitrary text', () => {
  it('any text as a zone is rejected or has one canonical form, which paths accept', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const zone = attempt(() => zoneName(given))
        const path = pathZone(given)
        expect(pathZone(path)).toBe(path)
        if (zone === undefined) return
        expect(zone).toMatch(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/)
        expect(zoneName(zone)).toBe(zone)
        expect(path).toBe(zone)
      }),
      runs,
    )
  })

  it('any text as a host is rejected or has one canonical form', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const host = attempt(() => hostName('example.com', given))
        if (host === undefined) return
        expect(host).toMatch(/^(@|(\*|[a-z0-9_-]{1,63})(\.[a-z0-9_-]{1,63})*)$/)
        expect(hostName('example.com', host)).toBe(host)
        expect(fullName('example.com', host).length).toBeLessThanOrEqual(253)
      }),
      runs,
    )
  })

  it.each(recordTypes)('any text as a value of %s is rejected or has one canonical form', (type) => {
    const given = { type, host: 'host', priority: 0 }
    fc.assert(
      fc.property(anyText, (value) => {
        const record = attempt(() => checkRecord('example.com', { ...given, value }))
        if (record === undefined) return
        expect(record.value).not.toBe('')
        expect(record.value).not.toContain('\0')
        expect(checkRecord('example.com', { ...given, value: record.value })).toEqual(record)
        expect(mergeRecord('example.com', record, { value })).toEqual(record)
        expect(rrsetBytes([record])).toBeLessThanOrEqual(rrsetMaxBytes)
      }),
      { ...runs, numRuns: 1500 },
    )
  })

  it.each(['TXT', 'SPF'] as const)(
    'any text as a value of %s is the same in quotes, at every split into strings',
    (type) => {
      const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/^"|[^\P{Cc}\t]/u.test(value))
      const valueOf = (value: string) => checkRecord('example.com', { type, value }).value
      fc.assert(
        fc.property(text, fc.nat(), (value, cut) => {
          const strings = [value.slice(0, cut % value.length), value.slice(cut % value.length)]
          fc.pre(strings.every((string) => string.isWellFormed()))
          const inQuotes = strings.map((string) => `"${string.replaceAll(/["\\]/g, '\\$&')}"`).join(' ')
          expect(valueOf(inQuotes)).toBe(value)
          expect(valueOf(value)).toBe(value)
        }),
        runs,
      )
    },
  )
})
