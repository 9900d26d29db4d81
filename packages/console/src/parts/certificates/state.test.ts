import { describe, expect, it } from 'vitest'
import { byUrgency, certificateOf, isUnderWay, levelOf, nameOf, stateText, type Certificate } from './state.js'

const now = Date.parse('2026-11-23T12:00:00.000Z')
const inHours = (hours: number): string => new Date(now + hours * 3_600_000).toISOString()

/** A new certificate, before its order. */
const asked: Certificate = {
  names: ['*.example.com', 'example.com'],
  zone: 'example.com',
  site: null,
  status: 'waiting',
  issuer: null,
  not_after: null,
  renew_at: null,
  next_attempt: inHours(-0.001),
  error: null,
  created_at: inHours(-0.001),
}
const issued: Certificate = {
  ...asked,
  status: 'issued',
  issuer: 'R12',
  not_after: inHours(64 * 24),
  renew_at: inHours(40 * 24),
  next_attempt: inHours(12),
}
const unproven: Certificate = {
  ...asked,
  status: 'failed',
  next_attempt: inHours(1),
  error: 'It has ns.elsewhere.example.',
}

describe.each<[string, Certificate, string, string]>([
  ['was just asked for', asked, 'ordering', 'Being ordered'],
  ['is being ordered', { ...asked, status: 'ordering' }, 'ordering', 'Being ordered'],
  ['is queued again after a failure', { ...unproven, next_attempt: inHours(0) }, 'ordering', 'Being ordered'],
  ['has failed', unproven, 'failed', 'Failed'],
  ['waits for its zone', { ...asked, next_attempt: null, error: 'It is not verified.' }, 'waiting', 'Waiting'],
  ['is valid', issued, 'valid', 'Valid'],
  ['is looked at by the CA', { ...issued, next_attempt: inHours(-1) }, 'valid', 'Valid'],
  ['is due for renewal', { ...issued, renew_at: inHours(-1), next_attempt: inHours(-1) }, 'ordering', 'Being renewed'],
  ['could not be renewed', { ...issued, error: 'CA down.' }, 'late', 'Not renewed'],
  [
    'could not be renewed, and ends soon',
    { ...issued, error: 'CA down.', not_after: inHours(72) },
    'ending',
    'Ends in 3 days',
  ],
  [
    'has expired',
    { ...issued, status: 'failed', error: 'CA down.', not_after: inHours(-72) },
    'failed',
    'Expired 3 days ago',
  ],
  [
    'expired while the page was open',
    { ...issued, error: 'CA down.', not_after: inHours(-1) },
    'failed',
    'Expired today',
  ],
])('a certificate that %s', (_, certificate, level, text) => {
  it(`has the level ${level}`, () => expect(levelOf(certificate, now)).toBe(level))
  it(`is told as "${text}"`, () => expect(stateText(certificate, now)).toBe(text))
})

it('sorts what needs the user first, then what ends soonest', () => {
  const named = (zone: string, certificate: Certificate) => ({ ...certificate, zone })
  const list = [
    named('valid.com', issued),
    named('soon.com', { ...issued, not_after: inHours(40 * 24) }),
    named('new.com', asked),
    named('z-failed.com', unproven),
    named('failed.com', unproven),
    named('late.com', { ...issued, error: 'CA down.' }),
  ]
  expect(byUrgency(list, now).map(nameOf)).toEqual([
    'failed.com',
    'z-failed.com',
    'late.com',
    'new.com',
    'soon.com',
    'valid.com',
  ])
})

it('finds the certificate of a host: the valid one, and otherwise its own', () => {
  const own: Certificate = { ...unproven, names: ['www.example.com'], zone: null, site: 'docs' }
  expect(certificateOf([own, issued], 'www.example.com')).toBe(issued)
  expect(certificateOf([unproven, own], 'www.example.com')).toBe(own)
  expect(certificateOf([issued], 'example.com')).toBe(issued)
  expect(certificateOf([issued], 'a.b.example.com')).toBeUndefined()
  expect(certificateOf([issued], 'notexample.com')).toBeUndefined()
})

it('is under way until the order has ended', () => {
  expect([asked, { ...asked, status: 'ordering' as const }].every((one) => isUnderWay(one, now))).toBe(true)
  expect([issued, unproven].some((one) => isUnderWay(one, now))).toBe(false)
})
