import { randomBytes } from 'node:crypto'

/** The secret part of a share link: 128 random bits in base64url. */
export const newShareKey = (): string => randomBytes(16).toString('base64url')

/** Whether a text has the form of a key. */
export const isShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text)
