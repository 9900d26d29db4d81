import { hash, randomInt } from 'node:crypto'
import type { SecretIdentity } from '../../../ports/vault/port.js'

/** Forwarder keys: they are part of the address that devices post to. The database has only their SHA-256. */

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const keyLength = 32

/** How many characters are shown, to identify a key. */
export const prefixLength = 8

/** 190 random bits. */
export const newKey = (): string =>
  Array.from({ length: keyLength }, () => characters[randomInt(characters.length)]).join('')

const keyPattern = /^[A-Za-z0-9]{32}$/

export const isKey = (text: string): boolean => keyPattern.test(text)

/** SHA-256 is enough: keys are too random to guess. */
export const digest = (key: string): Buffer => hash('sha256', key, 'buffer')

/** @param keyHash of the forwarder key: its id is not known before it is stored */
export const signingKeyIdentity = (accountId: number, keyHash: Uint8Array): SecretIdentity => [
  'sms_key',
  accountId,
  Buffer.from(keyHash).toString('hex'),
]
