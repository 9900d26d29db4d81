import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import { LRUCache } from 'lru-cache'
import { algorithmsOf } from './algorithms.js'
import type { Pem } from './port.js'

/** Why a certificate cannot be served. The message is a sentence without the name of the file. */
export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const keyBlock = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]+-----END (?:[A-Z]+ )?PRIVATE KEY-----/g
const encryptedKey = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/

/** Many certificates have the same issuers. By PEM. */
const issuers = new LRUCache<string, X509Certificate>({ max: 100 })

/**
 * Combinations of algorithms that OpenSSL has accepted. A context takes 0.25 ms to create, four times the rest of a check, and OpenSSL
 * refuses algorithms: short keys, weak signatures.
 */
const acceptedAlgorithms = new LRUCache<string, true>({ max: 1_000 })

const dnsName = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/

/** The blocks of a text. @throws UnusableCertificate if one has begun and does not end */
function blocksIn(text: string, form: RegExp, begin: RegExp): readonly string[] {
  const blocks = text.match(form) ?? []
  if (blocks.length < (text.match(begin)?.length ?? 0)) throw new UnusableCertificate('Its PEM text is cut off.')
  return blocks
}

/** The certificates in a text, in their order. @throws UnusableCertificate for one that cannot be parsed */
export function certificatesIn(text: string): readonly X509Certificate[] {
  return blocksIn(text, certificateBlock, /-----BEGIN CERTIFICATE-----/g).map((block, index) => {
    const known = index > 0 ? issuers.get(block) : undefined
    if (known) return known
    try {
      const certificate = new X509Certificate(block)
      if (index > 0) issuers.set(block, certificate)
      return certificate
    } catch (error) {
      throw new UnusableCertificate('It has a certificate that cannot be parsed.', { cause: error })
    }
  })
}

/** The texts of the private keys in a text. @throws UnusableCertificate for one that needs a password */
export function keyTextsIn(text: string): readonly string[] {
  if (encryptedKey.test(text))
    throw new UnusableCertificate('Its private key is encrypted: store it without a password.')
  return blocksIn(text, keyBlock, /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/g)
}

/** The private keys in a text. @throws UnusableCertificate for one that cannot be parsed, or needs a password */
export const keysIn = (text: string): readonly KeyObject[] =>
  keyTextsIn(text).map((block) => {
    try {
      return createPrivateKey(block)
    } catch (error) {
      throw new UnusableCertificate('It has a private key that cannot be parsed.', { cause: error })
    }
  })

/** A certificate that can be served. Times are milliseconds since the epoch. */
export interface CheckedCertificate extends Pem {
  readonly names: readonly string[]
  /** The common name of the issuer, or its organization. */
  readonly issuer: string
  readonly validFrom: number
  readonly validUntil: number
}

/**
 * Checks a chain and its key before they are served. An expired chain is accepted: the caller decides.
 * @param chain the certificate of the names first
 * @throws UnusableCertificate if the key does not fit, a certificate of the chain did not issue the one before, or OpenSSL refuses the two
 */
export function checkCertificate(chain: readonly X509Certificate[], key: KeyObject): CheckedCertificate {
  const [leaf] = chain
  if (!leaf) throw new UnusableCertificate('It has no certificate.')
  if (!leaf.checkPrivateKey(key)) throw new UnusableCertificate('The private key does not fit the certificate.')
  for (const [index, issuer] of chain.slice(1).entries())
    if (chain[index]?.checkIssued(issuer) !== true)
      throw new UnusableCertificate(
        `Certificate ${String(index + 2)} of the chain did not issue the one before it: the order must be the certificate first, then its issuers.`,
      )
  const names = namesOf(leaf)
  if (names.length === 0)
    throw new UnusableCertificate('The certificate has no subject alternative name, so no client accepts it.')
  const pem = {
    chain: chain.map((certificate) => certificate.toString()).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  checkContext(chain, pem)
  return { names, ...pem, issuer: issuerOf(leaf), ...validityOf(leaf) }
}

/** Milliseconds since the epoch. */
export const validityOf = ({ validFrom, validTo }: X509Certificate) => ({
  validFrom: Date.parse(validFrom),
  validUntil: Date.parse(validTo),
})

/** For example, OpenSSL refuses keys of RSA that are too short. */
function checkContext(certificates: readonly X509Certificate[], pem: Pem): void {
  const each = certificates.map(({ raw }) => algorithmsOf(raw))
  const algorithms = each.includes(undefined) ? undefined : each.join('\n')
  if (algorithms !== undefined && acceptedAlgorithms.has(algorithms)) return
  try {
    createSecureContext({ cert: pem.chain, key: pem.key })
    if (algorithms !== undefined) acceptedAlgorithms.set(algorithms, true)
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string }
    throw new UnusableCertificate(`OpenSSL refuses it: ${reason ?? message}.`, { cause: error })
  }
}

/** The names of a certificate that a server can be asked for, in lower case and without repetition. */
export function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = subjectAltName.split(', ').flatMap((entry) => {
    const [, kind, value = ''] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? []
    if (kind === undefined) return []
    if (kind === 'DNS') return dnsName.test(value) ? [value.toLowerCase()] : []
    return isIP(value) === 6 ? [domainToASCII(`[${value}]`).slice(1, -1)] : [value]
  })
  return [...new Set(names)]
}

export function issuerOf({ issuer }: X509Certificate): string {
  const parts = new Map(issuer.split('\n').map((line) => line.split('=', 2) as [string, string]))
  return parts.get('CN') ?? parts.get('O') ?? 'unknown'
}
