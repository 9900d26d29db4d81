import { describe, expect, it } from 'vitest'
import { checkNetworks, checkUse, statusOf, unlimited, type TokenLimits } from './limits.js'

const dayMs = 86_400_000
const now = Date.parse('2026-11-23T12:00:00Z')

const token = (limits: Partial<TokenLimits>, lastUsedAt: number | null = null) => ({
  limits: { ...unlimited, ...limits },
  createdAt: now - 10 * dayMs,
  lastUsedAt,
})

describe('the status of a token', () => {
  it.each([
    ['without limits', token({}), 'active'],
    ['a millisecond before its end', token({ expiresAt: now + 1 }), 'active'],
    ['at its end', token({ expiresAt: now }), 'expired'],
    ['unused for exactly its days', token({ unusedDays: 10 }), 'active'],
    ['used so late that the use is not saved yet', token({ unusedDays: 9 }, now - 9 * dayMs - 60_000), 'active'],
    ['never used for longer than its days', token({ unusedDays: 9 }), 'unused'],
    ['used within its days', token({ unusedDays: 9 }, now - 8 * dayMs), 'active'],
    ['not used for longer than its days', token({ unusedDays: 2 }, now - 3 * dayMs), 'unused'],
    ['paused before its end', token({ isPaused: true, expiresAt: now - 1 }), 'paused'],
  ])('a token %s', (_name, given, status) => {
    expect(statusOf(given, now)).toBe(status)
  })
})

describe('networks', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    [' 2001:DB8:0::1/32 ', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::/0', '::/0'],
  ])('%s is stored as %s', (given, stored) => {
    expect(checkNetworks([given])).toEqual([stored])
  })

  it('each network is stored once', () => {
    expect(checkNetworks(['192.0.2.1/24', '192.0.2.2/24', '::1'])).toEqual(['192.0.2.0/24', '::1/128'])
  })

  it.each([
    '',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/',
    '192.0.2.0/24/8',
    '10',
    'fe80::1%eth0',
    'x',
    '::/129',
  ])('refuses %j', (text) => {
    expect(() => checkNetworks([text])).toThrow(
      `networks must list addresses and networks such as 192.0.2.0/24 or 2001:db8::/32, not ${JSON.stringify(text)}.`,
    )
  })

  it('refuses more than 50 networks', () => {
    const many = Array.from({ length: 51 }, (_, index) => `192.0.2.${String(index)}`)
    expect(() => checkNetworks(many)).toThrow('networks must have at most 50 networks, not 51.')
  })

  it.each([
    ['192.0.2.9', ['192.0.2.0/24'], true],
    ['::ffff:192.0.2.9', ['192.0.2.0/24'], true],
    ['192.0.3.9', ['192.0.2.0/24'], false],
    ['2001:db8::5', ['192.0.2.0/24', '2001:db8::/32'], true],
    ['2001:db9::5', ['192.0.2.0/24', '2001:db8::/32'], false],
    ['192.0.2.9', ['::/0'], false],
    ['::1', ['0.0.0.0/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
    // As in a damaged row: no network is not every network.
    ['192.0.2.9', ['x'], false],
  ])('a client at %j with the networks %j: %s', (ip, networks, works) => {
    expect(checkUse(token({ networks }))?.(now, ip)).toBe(works)
  })
})

it('a token without limits is not checked', () => {
  expect(checkUse(token({}))).toBeUndefined()
})
