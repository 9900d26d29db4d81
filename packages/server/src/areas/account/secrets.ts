import { hash, randomBytes } from 'node:crypto'

/** Secrets of clients: a token is shown once, a cookie is set once. The database has only the SHA-256 of both. */

/** `svc_` and 32 hexadecimal characters (specification, section 5.2): 128 random bits. */
export const newToken = (): string => `svc_${randomBytes(16).toString('hex')}`

/** An update key, the secret in a URL: 128 random bits in hexadecimal. It has no prefix: a token cannot be taken for one. */
export const newUpdateKey = (): string => randomBytes(16).toString('hex')

/** The value of a session cookie: 256 random bits. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256 is enough: the secrets are too random to guess, so a slow hash would protect nothing more. */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The SHA-256 of a secret as hexadecimal text, for keys of a Map. */
export const digestText = (secret: string): string => hash('sha256', secret, 'hex')
