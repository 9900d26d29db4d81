import { stringifySetCookie } from 'cookie'

/** Names and attributes of the cookies. With TLS, their prefix prevents other hosts from setting them (RFC 6265bis, 4.1.3.2). */
export interface CookieConfig {
  /** Of the session. */
  readonly name: string
  /** Of the browser. */
  readonly deviceName: string
  readonly secure: boolean
}

/** @param publicUrl the server's public origin; undefined if it is not configured */
export const cookieConfig = (publicUrl: string | undefined): CookieConfig =>
  publicUrl?.startsWith('https:')
    ? { name: '__Host-svc_session', deviceName: '__Host-svc_device', secure: true }
    : { name: 'svc_session', deviceName: 'svc_device', secure: false }

/** The value of a Set-Cookie header. */
export const setCookie = (
  { name, secure }: Pick<CookieConfig, 'name' | 'secure'>,
  value: string,
  lifetimeMs: number,
): string =>
  stringifySetCookie({ name, value, maxAge: lifetimeMs / 1000, path: '/', httpOnly: true, sameSite: 'strict', secure })
