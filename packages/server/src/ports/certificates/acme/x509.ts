import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import {
  bitString,
  elementsOf,
  encode,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  tag,
  utcTime,
  type Element,
} from './der.js'

const oid = {
  authorityKeyIdentifier: '2.5.29.35',
  commonName: '2.5.4.3',
  subjectAltName: '2.5.29.17',
  /** RFC 2985, section 5.4.2. */
  extensionRequest: '1.2.840.113549.1.9.14',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  /** id-pe-acmeIdentifier (RFC 8737, section 6.1). */
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
} as const

/** A new key for a certificate or an account: ECDSA with P-256. */
export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** A key as PKCS #8 in PEM, the form in which it is stored. */
export const keyToPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string

/** @throws Error of `node:crypto` if the text is not a private key */
export const keyFromPem = (pem: string): KeyObject => createPrivateKey(pem)

/**
 * A certificate request (PKCS #10, RFC 2986) for DNS names, in DER. Its subject is empty: the names are in the subjectAltName, which
 * is the only place where CAs look (CA/Browser Forum Baseline Requirements, section 7.1.4.3).
 * @param names in ASCII; a wildcard as `*.example.net`
 * @param key ECDSA with P-256
 */
export function certificateRequest(names: readonly string[], key: KeyObject): Buffer {
  const extensions = sequence(extension(oid.subjectAltName, subjectAltName(names)))
  const attribute = sequence(objectIdentifier(oid.extensionRequest), encode(tag.set, extensions))
  return signed(sequence(integer(0), sequence(), publicKeyOf(key), encode(explicit(0), attribute)), key)
}

/** Milliseconds for which the certificate of a challenge is valid, in both directions. CAs ignore it (RFC 8737, section 3). */
const challengeLifeMs = 7 * 86_400_000

/**
 * The self-signed certificate that proves a name with tls-alpn-01 (RFC 8737, section 3).
 * @param digest SHA-256 of the key authorization
 * @returns DER
 */
export function challengeCertificate(name: string, digest: Uint8Array, key: KeyObject): Buffer {
  const subject = sequence(
    encode(tag.set, sequence(objectIdentifier(oid.commonName), encode(tag.utf8String, Buffer.from('ACME challenge')))),
  )
  const now = Date.now()
  const validity = sequence(utcTime(new Date(now - challengeLifeMs)), utcTime(new Date(now + challengeLifeMs)))
  const extensions = sequence(
    extension(oid.subjectAltName, subjectAltName([name])),
    extension(oid.acmeIdentifier, octetString(digest), true),
  )
  const certificate = sequence(
    encode(explicit(0), integer(2)),
    // The first octet keeps the number positive.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    sequence(objectIdentifier(oid.ecdsaWithSha256)),
    subject,
    validity,
    subject,
    publicKeyOf(key),
    encode(explicit(3), extensions),
  )
  return signed(certificate, key)
}

const extension = (id: string, value: Uint8Array, isCritical = false): Buffer =>
  sequence(objectIdentifier(id), ...(isCritical ? [encode(tag.boolean, Buffer.from([0xff]))] : []), octetString(value))

/** GeneralNames with dNSName, `[2] IMPLICIT IA5String` (RFC 5280, section 4.2.1.6). */
const subjectAltName = (names: readonly string[]): Buffer =>
  sequence(...names.map((name) => encode(implicit(2), Buffer.from(name))))

const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' })

const signed = (content: Buffer, key: KeyObject): Buffer =>
  sequence(content, sequence(objectIdentifier(oid.ecdsaWithSha256)), bitString(sign('sha256', content, key)))

/**
 * The id of a certificate in ACME renewal information (RFC 9773, section 4.1): the keyIdentifier of its Authority Key Identifier and
 * its serial number.
 * @param certificate in PEM or DER
 * @returns undefined for a certificate without that extension
 */
export function renewalIdOf(certificate: string | Buffer): string | undefined {
  const [whole] = elementsOf(new X509Certificate(certificate).raw)
  const [toBeSigned] = childrenOf(whole)
  const fields = childrenOf(toBeSigned)
  const serial = fields.find((field) => field.tag === tag.integer)
  const [extensions] = childrenOf(fields.find((field) => field.tag === explicit(3)))
  const wanted = objectIdentifier(oid.authorityKeyIdentifier)
  for (const parts of childrenOf(extensions).map(childrenOf)) {
    const [id, value] = [parts[0], parts.at(-1)]
    if (id === undefined || !encode(id.tag, id.content).equals(wanted)) continue
    const [identifier] = childrenOf(childrenOf(value)[0])
    if (identifier?.tag !== implicit(0) || serial === undefined) return undefined
    return `${identifier.content.toString('base64url')}.${serial.content.toString('base64url')}`
  }
  return undefined
}

const childrenOf = (element: Element | undefined): Element[] =>
  element === undefined ? [] : elementsOf(element.content)
