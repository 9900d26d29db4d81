import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensure } from '../../../../../../test/servers/index.js'
import { opensslCa, type OpensslCa } from '../../../../test/openssl-ca.js'
import { elementsOf } from './der.js'
import { accountKeyOf } from './jws.js'
import { certificateRequest, challengeCertificate, keyFromPem, keyToPem, newKey, renewalIdOf } from './x509.js'

let ca: OpensslCa
beforeAll(async () => {
  ca = await opensslCa()
})
afterAll(() => ca.stop())

const openssl = (args: string, input: Buffer) =>
  execFileSync(ensure('openssl'), args.split(' '), { input, encoding: 'utf8' })

it('a certificate request is one that openssl verifies, with all names and no subject', () => {
  // More than 128 octets, so that lengths take more than one octet.
  const names = Array.from({ length: 100 }, (_, n) => `name-${n}.example.test`)
  const text = openssl(
    'req -inform DER -verify -noout -text',
    certificateRequest(['*.example.test', ...names], newKey()),
  )
  expect(text).toContain(`DNS:${['*.example.test', ...names].join(', DNS:')}\n`)
  expect(text).toMatch(/Subject: *\n/)
  expect(text).toContain('ASN1 OID: prime256v1')
  expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256')
})

it('the certificate of a challenge has one name and the critical extension of RFC 8737, and is signed by its key', () => {
  const key = newKey()
  const der = challengeCertificate('www.example.test', Buffer.alloc(32, 0xab), key)
  const certificate = new X509Certificate(der)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkPrivateKey(key)).toBe(true)
  expect(certificate.subjectAltName).toBe('DNS:www.example.test')
  const text = openssl('x509 -inform DER -noout -text', der)
  expect(text).toContain('1.3.6.1.5.5.7.1.31: critical')
  expect(der.toString('hex')).toContain(`04220420${'ab'.repeat(32)}`)
  expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now())
  expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now())
})

it('a key is stored as PKCS #8', () => {
  const key = newKey()
  expect(keyToPem(key)).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  expect(keyFromPem(keyToPem(key)).equals(key)).toBe(true)
})

it('the id for renewal information has the key identifier of the issuer and the serial number with its sign octet', async () => {
  // The serial number of RFC 9773, section 4.1.
  const pem = await ca.sign(certificateRequest(['example.test'], newKey()), '-set_serial', '0x87654321')
  const text = openssl('x509 -noout -ext subjectKeyIdentifier', Buffer.from(ca.intermediate))
  const keyIdentifier = Buffer.from(text.trim().split('\n').at(-1)!.replaceAll(/[ :]/g, ''), 'hex')
  expect(renewalIdOf(pem)).toBe(`${keyIdentifier.toString('base64url')}.AIdlQyE`)
})

it('a certificate without an Authority Key Identifier has no id', () => {
  expect(renewalIdOf(challengeCertificate('a.test', Buffer.alloc(32), newKey()))).toBeUndefined()
})

it.each(['30', '3005', '300501', '3081', '3080', '30890102030405060708', '0203'])(
  'an encoding that is cut off or too long for DER is refused: %s',
  (hex) => {
    expect(() => elementsOf(Buffer.from(hex, 'hex'))).toThrow(RangeError)
  },
)

it('the thumbprint of an account key is that of RFC 7638 without other fields, and other kinds of keys are refused', () => {
  const key = newKey()
  const { jwk, thumbprint } = accountKeyOf(key)
  expect(Object.keys(jwk)).toEqual(['crv', 'kty', 'x', 'y'])
  expect(thumbprint).toBe(createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  expect(() => accountKeyOf(privateKey)).toThrow('The key of an ACME account must be ECDSA with P-256.')
})
