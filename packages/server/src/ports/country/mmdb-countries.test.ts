import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reader } from 'maxmind'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isLong, random } from '../../../../../e2e/hostile/random.js'
import { OperatorError } from '../../shared/operator-error.js'
import { countryCode } from './country-code.js'
import { bundledCountries, mmdbCountries } from './mmdb-countries.js'

const failed = (error: unknown) => expect.fail(String(error))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-countries-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const file = (content: string | Buffer): string => {
  const path = join(folder, 'given.mmdb')
  writeFileSync(path, content)
  return path
}

describe('mmdbCountries', () => {
  it.each([
    ['8.8.8.8', 'US'],
    ['193.0.6.139', 'NL'],
    ['::ffff:193.0.6.139', 'NL'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
    ['2a02:908::1', 'DE'],
    ['10.0.0.1', null],
    ['::ffff:10.0.0.1', null],
    ['::1', null],
    ['2002:808:808::1', null],
    // Global unicast that is not allocated.
    ['2d00::1', null],
    ['nonsense', null],
    ['', null],
  ])('%s has the country %s', (ip, country) => {
    expect(mmdbCountries(bundledCountries(), failed).countryOf(ip)).toBe(country)
  })

  it('the country is null for an IPv6 address in a file with IPv4 only', () => {
    const require = createRequire(import.meta.url)
    const ipv4 = require.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country-ipv4.mmdb')
    const countries = mmdbCountries(ipv4, failed)
    expect(countries.countryOf('193.0.6.139')).toBe('NL')
    expect(countries.countryOf('2001:67c:2e8:22::c100:68b')).toBeNull()
  })

  it.each([
    ['missing', () => join(folder, 'missing.mmdb'), 'ENOENT'],
    ['a folder', () => folder, 'EISDIR'],
  ])('refuses to start with a file that is %s', (_, path, code) => {
    const refusal = new OperatorError(`The country database ${path()} cannot be read (${code}).`, 2)
    expect(() => mmdbCountries(path(), failed)).toThrow(refusal)
  })

  it.each([
    ['empty', Buffer.alloc(0)],
    ['a web page', '<!doctype html><title>Sign in</title>'.repeat(9999)],
    ['cut short', readFileSync(bundledCountries()).subarray(0, -1000)],
  ])('refuses to start with a file that is %s', (_, content) => {
    const path = file(content)
    expect(() => mmdbCountries(path, failed)).toThrow(`The country database ${path} is not a complete MaxMind DB file.`)
  })

  it('the country is null for a file that is damaged between start and first look-up, reported once', () => {
    const path = join(folder, 'replaced.mmdb')
    copyFileSync(bundledCountries(), path)
    const report = vi.fn()
    const countries = mmdbCountries(path, report)
    writeFileSync(path, 'gone')
    expect([countries.countryOf('8.8.8.8'), countries.countryOf('8.8.8.8')]).toEqual([null, null])
    const message = `The country database ${path} is not a complete MaxMind DB file.`
    expect(report.mock.calls).toEqual([[expect.objectContaining({ message })]])
  })
})

describe('a file with damaged data', () => {
  const whole = readFileSync(bundledCountries())
  const reader = new Reader(whole)
  const { searchTreeSize, nodeCount } = reader.metadata
  const marker = '\xab\xcd\xefMaxMind.com'
  const metadata = whole.lastIndexOf(marker, undefined, 'latin1')
  const data = { from: searchTreeSize + 16, to: metadata }
  const addresses = ['8.8.8.8', '193.0.6.139', '2001:67c:2e8:22::c100:68b', '2a02:908::1', '1.1.1.1', '2400:cb00::1']
  const nulls = addresses.map(() => null)

  /** Looks up all addresses in a changed copy of the bundled file. */
  function lookUps(change: (bytes: Buffer) => void) {
    const bytes = Buffer.from(whole)
    change(bytes)
    const path = file(bytes)
    const report = vi.fn()
    const countries = mmdbCountries(path, report)
    return { answers: addresses.map((ip) => countries.countryOf(ip)), reports: report.mock.calls.length }
  }

  it('the country is null for every address if all records are zeros, reported once', () => {
    // The search tree stays intact: it points to data that is not a record.
    const { answers, reports } = lookUps((bytes) => bytes.fill(0, data.from, data.to))
    expect({ answers, reports }).toEqual({ answers: nulls, reports: 1 })
  })

  it('the country is null for pointers that form a loop, reported once', () => {
    const { answers, reports } = lookUps((bytes) => {
      // Pointers of two bytes, all to the beginning of the data (MaxMind DB 2.0, "pointer").
      for (let at = data.from; at < data.to; at += 1) bytes[at] = at % 2 === data.from % 2 ? 0x20 : 0
    })
    expect({ answers, reports }).toEqual({ answers: nulls, reports: 1 })
  })

  it('the country is null for a country code that is not a text, reported once', () => {
    const { answers, reports } = lookUps((bytes) => {
      // Two letters become an integer of two bytes: type 5 instead of type 2.
      for (let at = data.from; at < data.to; at += 1) if (bytes[at] === 0x42) bytes[at] = 0xa2
    })
    expect({ answers, reports }).toEqual({ answers: nulls, reports: 1 })
  })

  it('the country is null for 40 nested maps that each point to the next one twice (2^40 paths), reported once', () => {
    const [pointer = 0] = (reader as unknown as { findAddressInTree(ip: string): number[] }).findAddressInTree(
      '8.8.8.8',
    )
    const first = pointer - nodeCount + searchTreeSize
    const { answers, reports } = lookUps((bytes) => {
      for (let n = 0, at = first; n < 40; n += 1, at += 9) {
        const next = [0x20 | ((at + 9 - data.from) >> 8), (at + 9 - data.from) & 0xff]
        bytes.set([0xe2, 0x41, 0x78, ...next, 0x41, 0x78, ...next], at)
      }
    })
    expect(answers[0]).toBeNull()
    expect(reports).toBe(1)
  })

  it('random changes never throw, and look-ups end in time', () => {
    const { integer, pick } = random('country database')
    const parts = [
      { from: 0, to: searchTreeSize, changes: 20_000 },
      { ...data, changes: 20 },
      { from: metadata + marker.length, to: whole.length, changes: 3 },
    ]
    const seen = { reports: 0, nulls: 0 }
    const rounds = isLong ? 5000 : 70
    let slowest = 0
    for (let round = 0; round < rounds; round += 1) {
      const { from, to, changes } = pick(parts)
      const start = performance.now()
      const { answers, reports } = lookUps((bytes) => {
        for (let change = 0; change < changes; change += 1) bytes[integer(from, to - 1)] = integer(0, 255)
      })
      slowest = Math.max(slowest, performance.now() - start)
      for (const answer of answers) expect(answer ?? 'AA').toMatch(/^[A-Z]{2}$/)
      expect(reports).toBeLessThanOrEqual(1)
      seen.reports += reports
      seen.nulls += answers.filter((answer) => answer === null).length
    }
    // Most of the time is spent on copying, writing and reading eight megabytes.
    expect(slowest).toBeLessThan(5000)
    expect(seen.reports).toBeGreaterThan(rounds / 10)
    expect(seen.nulls).toBeGreaterThan(rounds / 2)
  }, 600_000)
})

describe('countryCode', () => {
  it.each([
    ['DE', 'DE'],
    ['xk', 'XK'],
    ['EU', null],
    ['AP', null],
    ['XX', null],
    ['T1', null],
    ['', null],
    ['DEU', null],
    ['D\n', null],
  ])('%j is parsed as %s', (given, code) => {
    expect(countryCode(given)).toBe(code)
  })
})
