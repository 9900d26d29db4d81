import { X509Certificate } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { testAuthority } from '../../../test/test-authority.js'
import { algorithmsOf, publicKeyOf } from './algorithms.js'

const authority = testAuthority()
afterAll(() => authority.remove())

const issued = (algorithm: string) => new X509Certificate(authority.issue(['a.example'], { algorithm }).certificate)

it.each(['ec', 'rsa:2048', 'ed25519'])('finds the public key of a certificate for %s', (algorithm) => {
  const { raw, publicKey } = issued(algorithm)
  expect(publicKeyOf(raw)).toEqual(publicKey.export({ type: 'spki', format: 'der' }))
})

it('has one text for certificates that differ in their keys and names only', () => {
  const each = ['ec', 'ec', 'rsa:1024', 'rsa:2048', 'ed25519'].map((algorithm) => algorithmsOf(issued(algorithm).raw))
  const own = algorithmsOf(new X509Certificate(authority.ca).raw)
  expect(each[0]).toBe(each[1])
  expect(new Set([...each, own]).size).toBe(5)
  expect(own).toBeDefined()
})

it('returns undefined for a certificate that is cut off anywhere', () => {
  const { raw } = issued('ec')
  for (let length = 0; length < raw.length; length++) expect(algorithmsOf(raw.subarray(0, length))).toBe(undefined)
})
