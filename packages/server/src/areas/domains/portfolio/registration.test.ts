import { expect, it } from 'vitest'
import { mergeRegistration, unknownRegistration, type FreshRegistration } from './registration.js'

const time = (text: string) => Date.parse(`${text}T00:00:00.000Z`)

const full: FreshRegistration = {
  registrar: 'Example, Inc.',
  createdAt: time('2001-01-01'),
  expiresAt: time('2030-01-01'),
  nameservers: ['ns1.example.net', 'ns2.example.net'],
  statuses: ['active'],
}

const known = mergeRegistration(unknownRegistration, full, time('2026-01-01'))

it('stores all values of a complete answer', () => {
  expect(known).toEqual({
    registrar: 'Example, Inc.',
    registered_at: '2001-01-01T00:00:00.000Z',
    expires_at: '2030-01-01T00:00:00.000Z',
    nameservers: ['ns1.example.net', 'ns2.example.net'],
    statuses: ['active'],
    synced_at: '2026-01-01T00:00:00.000Z',
  })
})

it.each<[string, Partial<FreshRegistration>, object]>([
  ['no registrar', { registrar: null }, {}],
  ['a registrar of spaces', { registrar: ' \u200b\n' }, {}],
  ['no dates', { createdAt: null, expiresAt: null }, {}],
  ['no nameservers', { nameservers: [] }, {}],
  ['no statuses', { statuses: [] }, {}],
  ['a date before 1970', { expiresAt: -1 }, {}],
  ['a date after 9999', { expiresAt: 8e15 }, {}],
  ['a date that is not one', { expiresAt: NaN }, {}],
  ['a renewal', { expiresAt: time('2031-01-01') }, { expires_at: '2031-01-01T00:00:00.000Z' }],
  ['an earlier expiry', { expiresAt: time('2029-01-01') }, { expires_at: '2029-01-01T00:00:00.000Z' }],
  ['other nameservers', { nameservers: ['ns.example.org'] }, { nameservers: ['ns.example.org'] }],
  ['a registrar with a line break', { registrar: 'A\r\nB' }, { registrar: 'A B' }],
  ['a long registrar', { registrar: 'x'.repeat(300) }, { registrar: 'x'.repeat(255) }],
  ['half of a surrogate pair', { registrar: 'A\ud800' }, { registrar: 'A\ufffd' }],
  ['many statuses', { statuses: Array<string>(40).fill('ok') }, { statuses: Array<string>(16).fill('ok') }],
])('%s: changes only what the registry has given', (_, given, changed) => {
  const merged = mergeRegistration(known, { ...full, ...given }, time('2026-02-02'))
  expect(merged).toEqual({ ...known, ...changed, synced_at: '2026-02-02T00:00:00.000Z' })
})
