import { hash, randomBytes } from 'node:crypto'

/** What a client proves itself with: shown or set once, kept only as a SHA-256. */

/** `svc_` and 32 hexadecimal characters (specification, section 5.2): 128 random bits. */
export const newToken = (): string => `svc_${randomBytes(16).toString('hex')}`

/** The value of a session cookie: 256 random bits. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url')

/** Random enough that a plain digest keeps it: nothing could be guessed that a slow one would slow down. */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')
