import { describe, expect, it } from 'vitest'
import { isLoopback, parseIpAddress } from './ip-address.js'

describe('parseIpAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::192.0.2.1', '::c000:201'],
    ['0:0:0:0:0:0:192.0.2.1', '::c000:201'],
    ['::ffff:0:192.0.2.1', '::ffff:0:c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4:5:6:c000:201'],
    ['2001:0DB8::0001', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::', '::'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%br-lan.100', 'fe80::1'],
  ])('%s is parsed as %s', (text, address) => {
    expect(parseIpAddress(text)?.toString()).toBe(address)
  })

  it.each([
    '',
    '%eth0',
    'localhost',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '256.0.0.1',
    '192.0.2.1:53',
    '1:2:3',
    '::g',
    '[::1]',
    ' ::1',
  ])('%j is not an address', (text) => {
    expect(parseIpAddress(text)).toBeUndefined()
  })
})

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['1.127.0.1', false],
  ['::ffff:192.0.2.1', false],
  ['::1:1', false],
  ['', false],
])('%j is loopback: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
