import { describe, expect, it } from 'vitest'
import { parseDomainNames, tldOf } from './names.js'

describe('parseDomainNames', () => {
  it('has each domain once, in the order of the list', () => {
    expect(parseDomainNames(['b.com', 'A.com', 'B.com.', 'a.com'])).toEqual(['b.com', 'a.com'])
  })

  it('lists all invalid entries', () => {
    expect(() => parseDomainNames(['a.com', 'www.b.com', 'com'])).toThrow(
      /^domains\[1\] must be .*b\.com, .*"www\.b\.com"\. domains\[2\] must be .*"com": it has one label\.$/,
    )
  })
})

it.each([
  ['example.com', 'com'],
  ['example.co.uk', 'uk'],
  ['xn--85x722f.xn--fiqs8s', 'xn--fiqs8s'],
  ['home.lan', ''],
  ['example.invented', ''],
])('the registry of %s is that of %j', (name, tld) => {
  expect(tldOf(name)).toBe(tld)
})
