import { describe, expect, it } from 'vitest'
import { countersOf, forgive, waitAfter } from './failures.js'

describe('waitAfter', () => {
  it.each([
    [0, 0],
    [3, 0],
    [4, 1_000],
    [5, 2_000],
    [6, 4_000],
    [13, 512_000],
    [14, 900_000],
    [15, 900_000],
    [2_000, 900_000],
  ])('after %i failures, three of them free, the wait is %i ms', (failures, ms) => {
    expect(waitAfter(failures, 3)).toBe(ms)
  })
})

describe('countersOf', () => {
  const [email, network, added, networkAlone, wide] = [0, 1, 2, 3, 4]
  const keyOf = (which: number, ip: string, address = 'a@example.com') =>
    Buffer.from(countersOf(address, ip)[which]?.key ?? []).toString('hex')

  it('allows the fewest failures by network and email, the most by network alone', () => {
    expect(countersOf('a@example.com', '192.0.2.1').map(({ free }) => free)).toEqual([20, 3, Infinity, 30])
    expect(countersOf('a@example.com', '::1').map(({ free }) => free)).toEqual([20, 3, Infinity, 30, 120])
  })

  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', true],
    ['2001:db8:0:1::', '2001:db8::1:0:0:0:9', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['2001:db8::1', '2001:db8:0:0:8::', true],
    ['::1', '::2', true],
    ['::1', '::', true],
    ['fe80::1', '::1', false],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::', true],
    ['1:2:3:4:5:6:7:8', '1:2:3:5:5:6:7:8', false],
    ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2', true],
  ])('%s and %s are counted as one network: %s', (one, other, same) => {
    expect(keyOf(network, one) === keyOf(network, other)).toBe(same)
    expect(keyOf(networkAlone, one) === keyOf(networkAlone, other, 'b@example.com')).toBe(same)
    expect(keyOf(email, one)).toBe(keyOf(email, other))
  })

  it.each([
    ['2001:db8:0:1::1', '2001:db8:0:2::1', true],
    ['2001:db8:0:1::1', '2001:db8:1:1::1', false],
  ])('%s and %s are counted as one /48: %s', (one, other, same) => {
    expect(keyOf(wide, one) === keyOf(wide, other, 'b@example.com')).toBe(same)
    expect(keyOf(added, one) === keyOf(added, other)).toBe(same)
  })

  it('counts different emails separately, and an email separately from a network', () => {
    expect(keyOf(email, '::1')).not.toBe(keyOf(email, '::1', 'b@example.com'))
    expect(keyOf(network, '::1')).not.toBe(keyOf(network, '::1', 'b@example.com'))
    expect(keyOf(network, '::1')).not.toBe(keyOf(email, '::1'))
  })
})

describe('forgive', () => {
  const minute = 60_000

  it.each([
    // failures, minutes since `since`, failures left, minutes that count for the next one to be forgiven
    [1, 0, 1, 0],
    [5, 9, 5, 9],
    [5, 10, 4, 0],
    [5, 39, 2, 9],
    [5, 40, 1, 0],
    [5, 1000, 1, 0],
    [1, 1000, 1, 0],
    [40, 25, 38, 5],
  ])('%i failures after %i minutes: %i are left', (failures, minutes, left, unused) => {
    const now = 1_000_000 * minute
    expect(forgive(failures, now - minutes * minute, now)).toEqual({ failures: left, since: now - unused * minute })
  })

  it('adds no failures if the clocks of two processes differ', () => {
    expect(forgive(5, 2_000_000, 1_000_000)).toEqual({ failures: 5, since: 2_000_000 })
  })
})
