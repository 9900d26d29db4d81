import { stringifySetCookie } from 'cookie'

/** Name and attributes of the session cookie. With TLS, its prefix prevents other hosts from setting it (RFC 6265bis, 4.1.3.2). */
export interface CookieConfig {
  readonly name: string
  readonly secure: boolean
}

/** @param publicUrl the server's public origin; undefined if it is not configured */
export const cookieConfig = (publicUrl: string | undefined): CookieConfig =>
  publicUrl?.startsWith('https:')
    ? { name: '__Host-svc_session', secure: true }
    : { name: 'svc_session', secure: false }

/** The value of a Set-Cookie header. */
export const setCookie = ({ name, secure }: CookieConfig, value: string, lifetimeMs: number): string =>
  stringifySetCookie({ name, value, maxAge: lifetimeMs / 1000, path: '/', httpOnly: true, sameSite: 'strict', secure })
