import { createHash, createHmac, createPublicKey, sign, type KeyObject } from 'node:crypto'

/** JSON Web Signatures as ACME uses them (RFC 7515, RFC 8555, section 6.2). */

export interface AccountKey {
  /** ECDSA with P-256. */
  readonly key: KeyObject
  readonly jwk: Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>>
  /** SHA-256 of the public key in base64url (RFC 7638). */
  readonly thumbprint: string
}

/** @param key ECDSA with P-256 @throws TypeError for another key */
export function accountKeyOf(key: KeyObject): AccountKey {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  if (crv !== 'P-256' || kty !== 'EC' || x === undefined || y === undefined)
    throw new TypeError('The key of an ACME account must be ECDSA with P-256.')
  // In the order of RFC 7638, section 3.2.
  const jwk = { crv, kty, x, y }
  return { key, jwk, thumbprint: sha256(JSON.stringify(jwk)).toString('base64url') }
}

/** How the CA knows the signer: by the URL of its account, or a new account by its public key. */
export type Signer = { readonly kid: string } | { readonly jwk: AccountKey['jwk'] }

/**
 * Signs a request with ES256.
 * @param payload undefined for POST-as-GET (RFC 8555, section 6.3)
 * @returns the JWS in the flattened JSON serialization
 */
export function signRequest(
  payload: object | undefined,
  header: Signer & { readonly nonce: string; readonly url: string },
  { key }: AccountKey,
): string {
  return flattened({ alg: 'ES256', ...header }, payload === undefined ? '' : JSON.stringify(payload), (content) =>
    sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' }),
  )
}

/** Binds a new account to a customer of the CA (RFC 8555, section 7.3.4). */
export interface ExternalAccount {
  readonly kid: string
  /** The MAC key. */
  readonly key: Buffer
}

/** @param url of the request for the new account */
export const externalAccountBinding = (
  { kid, key }: ExternalAccount,
  url: string,
  { jwk }: AccountKey,
): Readonly<Record<string, unknown>> =>
  JSON.parse(
    flattened({ alg: 'HS256', kid, url }, JSON.stringify(jwk), (content) =>
      createHmac('sha256', key).update(content).digest(),
    ),
  ) as Record<string, unknown>

function flattened(header: object, text: string, signatureOf: (content: Buffer) => Buffer): string {
  const protectedHeader = base64url(JSON.stringify(header))
  const payload = base64url(text)
  const signature = signatureOf(Buffer.from(`${protectedHeader}.${payload}`)).toString('base64url')
  return JSON.stringify({ protected: protectedHeader, payload, signature })
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url')

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
