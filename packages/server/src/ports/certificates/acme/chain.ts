import { createPublicKey, X509Certificate, type KeyObject } from 'node:crypto'
import { AcmeError } from './errors.js'

/** A certificate that can be served. */
export interface Chain {
  /** The certificate and its intermediates in PEM, in the order in which TLS sends them. */
  readonly pem: string
  readonly leaf: X509Certificate
}

/** Known chains have two to four certificates. */
const certificatesMax = 8

/** How far the clock of the CA may be ahead, in milliseconds. */
const clockDifferenceMs = 300_000

const blocks = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * Checks a downloaded chain before it replaces one that works: it is for the key and all names, valid now, and each certificate is
 * signed by the next one.
 * @param pem RFC 8555, section 9.1
 * @param names a wildcard as `*.example.net`
 * @throws AcmeError `unusable_certificate`
 */
export function checkChain(pem: string, key: KeyObject, names: readonly string[], now: number): Chain {
  const texts = pem.match(blocks) ?? []
  if (texts.length > certificatesMax) throw unusable(`its chain has more than ${certificatesMax} certificates`)
  const chain = texts.map(parse)
  const [leaf] = chain
  if (leaf === undefined) throw unusable('the answer has no certificate')
  if (!isSameKey(leaf.publicKey, key)) throw unusable('it is for another key')
  const covered = namesOf(leaf)
  const missing = names.filter((name) => !covered.has(name))
  if (missing.length > 0) throw unusable(`it does not cover ${missing.join(', ')}`)
  if (leaf.validFromDate.getTime() > now + clockDifferenceMs)
    throw unusable(`it is not valid before ${leaf.validFromDate.toISOString()}`)
  if (leaf.ca) throw unusable('it is the certificate of a CA')
  if (!chain.slice(1).every(({ ca }) => ca)) throw unusable('its chain contains a certificate that is not of a CA')
  for (const [index, certificate] of chain.entries()) {
    if (certificate.validToDate.getTime() <= now)
      throw unusable(
        `${index === 0 ? 'it' : 'a certificate of its chain'} expired at ${certificate.validToDate.toISOString()}`,
      )
    const issuer = chain[index + 1]
    if (issuer !== undefined && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
      throw unusable('its chain is not in order')
  }
  return { pem: texts.map((text) => `${text}\n`).join(''), leaf }
}

const unusable = (problem: string, cause?: unknown): AcmeError =>
  new AcmeError('unusable_certificate', `The CA gave a certificate that cannot be used: ${problem}.`, { cause })

function parse(text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch (error) {
    throw unusable('it cannot be read', error)
  }
}

const isSameKey = (publicKey: KeyObject, key: KeyObject): boolean => publicKey.equals(createPublicKey(key))

/** The DNS names in lower case. Node.js quotes names that contain a comma, so that no name looks like two. */
function namesOf({ subjectAltName = '' }: X509Certificate): ReadonlySet<string> {
  const names = subjectAltName.split(', ').filter((part) => part.startsWith('DNS:'))
  return new Set(names.map((part) => part.slice('DNS:'.length).toLowerCase()))
}
