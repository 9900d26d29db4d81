import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ReadHeader } from './kannel.js'

/** The fields `timestamp` and `sign` of SmsForwarder. */
export interface FormSignature {
  readonly timestamp: string
  readonly sign: string
}

export interface SignedRequest {
  readonly header: ReadHeader
  readonly body: Buffer
  readonly formSignature: FormSignature | undefined
}

/**
 * Whether a request is signed with a key, in one of these ways:
 * - `X-Signature`: the hexadecimal HMAC-SHA256 of the body and the value of `X-Timestamp` (SMS Gateway for Android), or of the body
 *   alone (Incoming SMS to URL forwarder)
 * - `sign`: the Base64 HMAC-SHA256 of timestamp, line feed and key, percent-encoded (SmsForwarder). It does not cover the text.
 *
 * The age of the signature does not matter: a repeated message is stored once, and clocks of devices are often wrong.
 */
export function isSigned(key: string, { header, body, formSignature }: SignedRequest): boolean {
  const signature = header('x-signature')
  if (signature !== undefined) {
    const expected = createHmac('sha256', key)
      .update(body)
      .update(header('x-timestamp') ?? '')
      .digest('hex')
    return isEqual(signature.toLowerCase(), expected)
  }
  if (formSignature === undefined) return false
  const { timestamp, sign } = formSignature
  const expected = createHmac('sha256', key).update(`${timestamp}\n${key}`).digest('base64')
  // The app encodes it before it fills the template, and the encoding of a form comes on top.
  return isEqual(sign, encodeURIComponent(expected)) || isEqual(sign, expected)
}

/** In constant time. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
