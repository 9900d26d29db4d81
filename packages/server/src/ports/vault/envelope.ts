import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { randomKey, wrappedKeyBytes, type MasterKey } from '../../shared/master-key.js'
import type { Sealed, SecretIdentity } from './port.js'

/**
 * The format of an encrypted text: version, id of the master key, wrapped data key; then nonce, ciphertext, tag.
 * Each text has a fresh data key, which encrypts nothing else: a nonce cannot repeat under a key. A rotation of the master key
 * replaces the head, and leaves the rest unchanged.
 */
const version = 1
const keyIdBytes = 8
const wrappedAt = 1 + keyIdBytes
/** The length of version, key id and wrapped data key. */
export const headBytes = wrappedAt + wrappedKeyBytes
const nonceBytes = 12
const tagBytes = 16
const bodyAt = headBytes + nonceBytes

const algorithm = 'aes-256-gcm'

/** A stored secret was changed, belongs to another row, or has another format. */
export class DamagedSecret extends Error {
  override readonly name = 'DamagedSecret'
}

/** Encrypts a text under a fresh data key, which the master key wraps. */
export function encrypt(text: string, identity: SecretIdentity, masterKey: MasterKey): Sealed {
  const dataKey = randomKey()
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, dataKey, nonce, { authTagLength: tagBytes }).setAAD(encodeIdentity(identity))
  const ciphertext = [cipher.update(text, 'utf8'), cipher.final()]
  const bytes = Buffer.concat([headOf(masterKey, dataKey), nonce, ...ciphertext, cipher.getAuthTag()])
  return { masterKeyId: masterKey.id, bytes }
}

/** @param masterKey the one of `keyIdOf(sealed)` @throws DamagedSecret */
export function decrypt(sealed: Uint8Array, identity: SecretIdentity, masterKey: MasterKey): string {
  try {
    const dataKey = masterKey.unwrap(sealed.subarray(wrappedAt, headBytes))
    const decipher = createDecipheriv(algorithm, dataKey, sealed.subarray(headBytes, bodyAt), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(encodeIdentity(identity)).setAuthTag(sealed.subarray(-tagBytes))
    const text = [decipher.update(sealed.subarray(bodyAt, -tagBytes)), decipher.final()]
    return Buffer.concat(text).toString()
  } catch (error) {
    throw damaged(identity, error)
  }
}

/** The id of the master key that wraps the data key. @throws DamagedSecret for bytes that are not an encrypted text */
export function keyIdOf(sealed: Uint8Array, identity: SecretIdentity): string {
  if (sealed.length < bodyAt + tagBytes) throw damaged(identity)
  const id = keyIdOfHead(sealed)
  if (id === undefined) throw damaged(identity)
  return id
}

/**
 * The head of an encrypted text with its data key wrapped by another master key.
 * @param head the first `headBytes` of the encrypted text
 * @returns undefined if the head is damaged, or belongs to another master key than `from`
 */
export function rewrapHead(head: Uint8Array, from: MasterKey, to: MasterKey): Buffer | undefined {
  if (head.length !== headBytes || keyIdOfHead(head) !== from.id) return undefined
  try {
    return headOf(to, from.unwrap(head.subarray(wrappedAt)))
  } catch {
    // The integrity check of AES Key Wrap has failed: the caller reports the row.
    return undefined
  }
}

const headOf = (masterKey: MasterKey, dataKey: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([version]), Buffer.from(masterKey.id, 'hex'), masterKey.wrap(dataKey)])

/** @returns undefined for another version of the format */
const keyIdOfHead = (head: Uint8Array): string | undefined =>
  head[0] === version ? Buffer.from(head.subarray(1, wrappedAt)).toString('hex') : undefined

/** JSON, because different lists of texts and numbers never have the same JSON. */
const encodeIdentity = (identity: SecretIdentity): Buffer => Buffer.from(JSON.stringify(['svc', version, ...identity]))

/** Without the rest of the identity: names are the user's. */
const damaged = ([table, accountId]: SecretIdentity, cause?: unknown) =>
  new DamagedSecret(`A secret in the table ${table} of the account ${accountId} does not decrypt.`, { cause })
