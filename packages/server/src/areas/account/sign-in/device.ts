import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie } from 'cookie'
import { setCookie, type CookieConfig } from './cookie.js'

/** The longest that browsers keep a cookie is 400 days (RFC 6265bis, 5.5). */
const lifetimeMs = 365 * 24 * 60 * 60 * 1000

/** 128 random bits and an HMAC-SHA-256 in base64url. */
const form = /^([\w-]{22})\.([\w-]{43})$/

interface Owner {
  readonly id: number
  readonly passwordHash: string
}

/**
 * The cookie of a browser that has signed in before: an id, and its signature for one account. The hash of the password is the key,
 * because each process has it, it has a random salt, and a new password ends all cookies.
 */
const signatureOf = (id: string, { id: accountId, passwordHash }: Owner): Buffer =>
  createHmac('sha256', passwordHash)
    .update(`svc device\n${String(accountId)}\n${id}`)
    .digest()

/** The id of the browser if it has signed in to the account since its last change of the password; otherwise undefined. */
export function knownDevice(
  cookies: string | undefined,
  { deviceName }: CookieConfig,
  account: Owner,
): string | undefined {
  const [, id = '', signature = ''] = form.exec(parseCookie(cookies ?? '')[deviceName] ?? '') ?? []
  const [sent, expected] = [Buffer.from(signature, 'base64url'), signatureOf(id, account)]
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? id : undefined
}

/** The value of a Set-Cookie header that makes the browser known for the account. @param id that of a known browser */
export function setDeviceCookie(
  cookie: CookieConfig,
  account: Owner,
  id = randomBytes(16).toString('base64url'),
): string {
  const value = `${id}.${signatureOf(id, account).toString('base64url')}`
  return setCookie({ ...cookie, name: cookie.deviceName }, value, lifetimeMs)
}
