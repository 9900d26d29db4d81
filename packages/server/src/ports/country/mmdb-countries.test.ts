import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OperatorError } from '../../operator-error.js'
import { countryCode } from './country-code.js'
import { bundledCountries, mmdbCountries } from './mmdb-countries.js'

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
    // Global unicast that nobody has been given.
    ['2d00::1', null],
    ['nonsense', null],
    ['', null],
  ])('%s is in %s', (ip, country) => {
    expect(mmdbCountries(bundledCountries()).countryOf(ip)).toBe(country)
  })

  it('does not take an IPv6 address for an IPv4 one in a file of IPv4 alone', () => {
    const require = createRequire(import.meta.url)
    const ipv4 = require.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country-ipv4.mmdb')
    const countries = mmdbCountries(ipv4)
    expect(countries.countryOf('193.0.6.139')).toBe('NL')
    expect(countries.countryOf('2001:67c:2e8:22::c100:68b')).toBeNull()
  })

  it.each([
    ['missing', () => join(folder, 'missing.mmdb'), 'ENOENT'],
    ['a folder', () => folder, 'EISDIR'],
  ])('refuses to start with a file that is %s', (_, path, code) => {
    const refusal = new OperatorError(`The country database ${path()} cannot be read (${code}).`, 2)
    expect(() => mmdbCountries(path())).toThrow(refusal)
  })

  it.each([
    ['empty', Buffer.alloc(0)],
    ['a web page', '<!doctype html><title>Sign in</title>'.repeat(9999)],
    ['cut short', readFileSync(bundledCountries()).subarray(0, -1000)],
  ])('refuses to start with a file that is %s', (_, content) => {
    const path = file(content)
    expect(() => mmdbCountries(path)).toThrow(`The country database ${path} is no MaxMind DB file, or not a whole one.`)
  })

  it('names the file that went bad between start and first look-up', () => {
    const path = join(folder, 'replaced.mmdb')
    copyFileSync(bundledCountries(), path)
    const countries = mmdbCountries(path)
    writeFileSync(path, 'gone')
    expect(() => countries.countryOf('8.8.8.8')).toThrow(`The country database ${path}`)
  })
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
  ])('%j stands for %s', (given, code) => {
    expect(countryCode(given)).toBe(code)
  })
})
