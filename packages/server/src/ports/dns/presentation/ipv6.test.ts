import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatFullIpv6, formatIpv6, parseIpv6Groups } from './ipv6.js'

const group = fc.oneof(fc.constant(0), fc.constant(0xffff), fc.nat(0xffff))
const groupsOf8 = fc.array(group, { minLength: 8, maxLength: 8 })

/** The WHATWG URL parser formats as RFC 5952, section 4, recommends, but without dots (section 5). */
const urlFormat = (groups: readonly number[]): string =>
  new URL(`http://[${groups.map((part) => part.toString(16)).join(':')}]`).hostname.slice(1, -1)

it('formats like the URL parser, except mapped addresses, and parses the result to the same groups', () => {
  fc.assert(
    fc.property(groupsOf8, (groups) => {
      const text = formatIpv6(groups)
      if (!text.startsWith('::ffff:') || !text.includes('.')) expect(text).toBe(urlFormat(groups))
      expect(parseIpv6Groups(text)).toEqual(groups)
      expect(parseIpv6Groups(formatFullIpv6(groups))).toEqual(groups)
    }),
  )
})

it('formats mapped addresses, and no others, with dots', () => {
  expect(formatIpv6([0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201])).toBe('::ffff:192.0.2.1')
  expect(formatIpv6([0, 0, 0, 0, 0, 0, 0xc000, 0x0201])).toBe('::c000:201')
  expect(formatIpv6([0, 0, 0, 0, 0xffff, 0, 0xc000, 0x0201])).toBe('::ffff:0:c000:201')
})

it.each([
  ['::192.0.2.1', '::c000:201'],
  ['::255.255.0.0', '::ffff:0'],
  ['::ffff:0:192.0.2.1', '::ffff:0:c000:201'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4:5:6:c000:201'],
  ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
])('parses %s as %s', (text, canonical) => {
  expect(formatIpv6(parseIpv6Groups(text)!)).toBe(canonical)
})

it.each(['', ':', '192.0.2.1', 'fe80::1%eth0', '::ffff:192.0.2.01', '::ffff:0xc0.0.2.1', '::ffff:3221225985', '[::1]'])(
  'rejects %j',
  (text) => {
    expect(parseIpv6Groups(text)).toBeUndefined()
  },
)
