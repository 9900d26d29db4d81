import { expect, it, vi } from 'vitest'
import { CertificateMap } from './certificate-map.js'
import { joinedSources } from './joined-sources.js'
import type { Certificate } from './port.js'

const certificate = (names: readonly string[], validUntil = 1): Certificate => ({
  names,
  since: 0,
  isOfAccount: false,
  isEnding: false,
  validUntil,
  isUsable: () => true,
  pem: () => ({ chain: '', key: '' }),
})

const mapOf = (...certificates: Certificate[]) => {
  const map = new CertificateMap()
  map.replace(certificates)
  return map
}

it('finds a certificate by each of its names', () => {
  const one = certificate(['a.example', 'www.a.example', '192.0.2.1'])
  for (const name of one.names) expect(mapOf(one).find(name)).toBe(one)
})

it('a wildcard is for exactly one label', () => {
  const wildcard = certificate(['*.a.example'])
  const map = mapOf(wildcard)
  expect(map.find('www.a.example')).toBe(wildcard)
  for (const name of ['a.example', 'x.www.a.example', '.a.example', 'b.example', '', '*', 'example'])
    expect(map.find(name)).toBeUndefined()
})

it('prefers the exact name to a wildcard, and the certificate that is valid longer', () => {
  const [wildcard, short, long] = [
    certificate(['*.a.example'], 9),
    certificate(['www.a.example'], 1),
    certificate(['www.a.example'], 2),
  ]
  for (const order of [
    [wildcard, short, long],
    [long, short, wildcard],
  ])
    expect(mapOf(...order).find('www.a.example')).toBe(long)
})

it('prefers a valid wildcard to an expired certificate of the exact name, and an expired exact one to an expired wildcard', () => {
  const tomorrow = Date.now() + 86_400_000
  const expired = certificate(['www.a.example'])
  const valid = certificate(['*.a.example'], tomorrow)
  expect(mapOf(expired, valid).find('www.a.example')).toBe(valid)
  expect(mapOf(expired, certificate(['*.a.example'])).find('www.a.example')).toBe(expired)
  const exact = certificate(['www.a.example'], tomorrow)
  expect(mapOf(exact, certificate(['*.a.example'], tomorrow + 1)).find('www.a.example')).toBe(exact)
})

it('of several sources, the first valid certificate wins, and an expired one is served only without a valid one', () => {
  const tomorrow = Date.now() + 86_400_000
  const [expired, older, valid, later] = [1, 0, tomorrow, tomorrow + 1].map((until) =>
    certificate(['a.example'], until),
  )
  const found = (...certificates: (Certificate | undefined)[]) =>
    joinedSources(certificates.map((one) => mapOf(...(one ? [one] : [])))).find('a.example')
  expect(found(expired, valid)).toBe(valid)
  expect(found(valid, later)).toBe(valid)
  expect(found(undefined, older, expired)).toBe(older)
  expect(found(undefined)).toBeUndefined()
})

it('tells its listeners which certificates are no longer served, and only about changes', () => {
  const [kept, gone, added] = [
    certificate(['kept.example']),
    certificate(['gone.example']),
    certificate(['new.example']),
  ]
  const map = mapOf(kept, gone)
  const listener = vi.fn()
  const stop = map.onChange(listener)
  map.replace([gone, kept])
  expect(listener).not.toHaveBeenCalled()
  map.replace([kept, added])
  expect(listener.mock.calls).toEqual([[[gone]]])
  expect([...map.all()]).toEqual([kept, added])
  expect(map.find('gone.example')).toBeUndefined()
  stop()
  map.replace([])
  expect(listener).toHaveBeenCalledTimes(1)
})
