import { X509Certificate } from 'node:crypto'
import { sha256, type AccountKey } from './jws.js'
import { challengeCertificate, keyToPem, newKey } from './x509.js'

export const challengeTypes = ['dns-01', 'http-01', 'tls-alpn-01'] as const
export type ChallengeType = (typeof challengeTypes)[number]

/** What must be published so that the CA can verify a name. */
export type Proof =
  /** A TXT record (RFC 8555, section 8.4). */
  | { readonly type: 'dns-01'; readonly name: string; readonly recordName: string; readonly value: string }
  /** The answer on port 80 at `/.well-known/acme-challenge/<token>` (RFC 8555, section 8.3). */
  | { readonly type: 'http-01'; readonly name: string; readonly token: string; readonly keyAuthorization: string }
  /** SHA-256 of the key authorization in base64url, for the certificate on port 443 for the protocol `acme-tls/1` (RFC 8737). */
  | { readonly type: 'tls-alpn-01'; readonly name: string; readonly digest: string }

/** The proof for a type of challenge. */
export type ProofBy<T extends ChallengeType> = Extract<Proof, { readonly type: T }>

/** A proof that a server answers at port 80 or 443. */
export type PortProof = ProofBy<'http-01'> | ProofBy<'tls-alpn-01'>

/**
 * The proof for one challenge.
 * @param name without the asterisk of a wildcard
 * @param token of base64url characters
 */
export function proofOf(type: ChallengeType, name: string, token: string, { thumbprint }: AccountKey): Proof {
  const keyAuthorization = `${token}.${thumbprint}`
  const digest = sha256(keyAuthorization)
  switch (type) {
    case 'dns-01':
      return { type, name, recordName: `_acme-challenge.${name}`, value: digest.toString('base64url') }
    case 'http-01':
      return { type, name, token, keyAuthorization }
    case 'tls-alpn-01':
      return { type, name, digest: digest.toString('base64url') }
  }
}

/** A certificate with its key, both in PEM, that a server presents to prove a name with tls-alpn-01. */
export interface PresentedCertificate {
  readonly chain: string
  readonly key: string
}

/** Makes the certificate for a proof, with a new key. */
export function presentedCertificate({
  name,
  digest,
}: Pick<ProofBy<'tls-alpn-01'>, 'name' | 'digest'>): PresentedCertificate {
  const key = newKey()
  const der = challengeCertificate(name, Buffer.from(digest, 'base64url'), key)
  return { chain: new X509Certificate(der).toString(), key: keyToPem(key) }
}

/** A proof cannot be shown to the CA. The message is a sentence for the user. */
export class CannotProve extends Error {
  override readonly name = 'CannotProve'
}

/** Publishes proofs where the CA looks for them. */
export interface ProofPublisher {
  /** The challenges that can prove a name, the preferred one first. */
  readonly typesFor: (name: string, isWildcard: boolean) => Promise<readonly ChallengeType[]>
  /** Resolves when every server that the CA may ask shows the proofs. The signal aborts when the order ends. */
  readonly publish: (proofs: readonly Proof[], signal: AbortSignal) => Promise<void>
  /** Removes the proofs, also after a `publish` that failed. It does not throw: a certificate that has come must not be lost. */
  readonly withdraw: (proofs: readonly Proof[]) => Promise<void>
}
