import { execFileSync } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { testAuthority } from '../../../test/test-authority.js'
import { certificatesIn, checkCertificate, keysIn, UnusableCertificate, type CheckedCertificate } from './check.js'

const authority = testAuthority()
const other = testAuthority()
afterAll(() => {
  authority.remove()
  other.remove()
})

function check(chain: string, key: string): CheckedCertificate {
  const [first] = keysIn(key)
  if (first === undefined) throw new Error('no key')
  return checkCertificate(certificatesIn(chain), first)
}

describe('a certificate that can be served', () => {
  it('has its names in lower case, IP addresses in their short form, and the issuer', () => {
    const { chain, key } = authority.issue(['API.example.com', '*.example.net', '192.0.2.1', '2001:DB8:0:0:0:0:0:1'])
    expect(check(chain, key)).toMatchObject({
      names: ['api.example.com', '*.example.net', '192.0.2.1', '2001:db8::1'],
      issuer: 'Test Authority',
    })
  })

  it('is valid from now for its days', () => {
    const { chain, key } = authority.issue(['a.example'], { days: 10 })
    const { validFrom, validUntil } = check(chain, key)
    expect((validUntil - validFrom) / 86_400_000).toBe(10)
    expect(Math.abs(Date.now() - validFrom)).toBeLessThan(120_000)
  })

  it.each(['ec', 'rsa:2048', 'ed25519'])('may have a key of %s', (algorithm) => {
    const { chain, key } = authority.issue(['a.example'], { algorithm })
    expect(check(chain, key).names).toEqual(['a.example'])
  })

  it('may have expired: the caller decides', () => {
    const { chain, key } = authority.issue(['a.example'], { days: -1 })
    expect(check(chain, key).validUntil).toBeLessThan(Date.now())
  })
})

describe('a certificate that cannot be served', () => {
  const good = authority.issue(['a.example'])
  const nameless = authority.issue([])
  const short = authority.issue(['a.example'], { algorithm: 'rsa:512' })
  const encrypted = execFileSync('openssl', ['pkey', '-aes128', '-passout', 'pass:x'], { input: good.key }).toString()

  it.each([
    ['a key of another certificate', good.chain, nameless.key, /^The private key does not fit the certificate\.$/],
    ['a certificate that is cut off', good.chain.slice(0, -50), good.key, /is cut off/],
    ['a key that is cut off', good.chain, good.key.slice(0, -40), /is cut off/],
    ['a damaged certificate', good.chain.replace(/\n.{40}/, '\n'), good.key, /certificate that cannot be parsed/],
    ['a damaged key', good.chain, good.key.replace(/\n.{30}/, '\n'), /private key that cannot be parsed/],
    ['an encrypted key', good.chain, encrypted, /is encrypted: store it without a password/],
    ['no certificate', good.key, good.key, /has no certificate/],
    ['a chain in the wrong order', good.certificate + other.ca, good.key, /^Certificate 2 of the chain did not issue/],
    ['no alternative names', nameless.chain, nameless.key, /no subject alternative name/],
    ['a key that is too short', short.chain, short.key, /^OpenSSL refuses it: .*too small\.$/],
  ])('%s', (_, chain, key, message) => {
    expect(() => check(chain, key)).toThrow(UnusableCertificate)
    expect(() => check(chain, key)).toThrow(message)
  })
})
