import { describe, expect, it } from 'vitest'
import { DamagedSecret, decrypt, encrypt, headBytes, keyIdOf, rewrapHead } from './envelope.js'
import { MasterKey } from '../../shared/master-key.js'
import type { SecretIdentity } from './port.js'

const identity: SecretIdentity = ['credential', 7, 'github', 'work']
const masterKey = MasterKey.random()
const secret = 'correct horse battery staple'

/** What the vault does with one master key. */
function open(sealed: Uint8Array, as: SecretIdentity, key = masterKey): string {
  expect(keyIdOf(sealed, as)).toBe(key.id)
  return decrypt(sealed, as, key)
}

it.each(['', 'a', secret, 'é 漢 🔑', 'x'.repeat(65_536)])('opens what it has sealed: %j', (text) => {
  const { masterKeyId, bytes } = encrypt(text, identity, masterKey)
  expect(masterKeyId).toBe(masterKey.id)
  expect(open(bytes, identity)).toBe(text)
})

it('a flipped bit in any byte does not open', () => {
  const { bytes } = encrypt(secret, identity, masterKey)
  for (let i = 0; i < bytes.length; i++) {
    const flipped = Buffer.from(bytes)
    flipped[i] = (flipped[i] ?? 0) ^ 1
    // The key id is not secret: with a flipped bit, it names no key.
    if (i >= 1 && i <= 8) expect(keyIdOf(flipped, identity), `byte ${i}`).not.toBe(masterKey.id)
    else expect(() => decryptAny(flipped), `byte ${i}`).toThrow(DamagedSecret)
  }
})

const decryptAny = (bytes: Uint8Array) => {
  keyIdOf(bytes, identity)
  return decrypt(bytes, identity, masterKey)
}

it('bytes that are missing at the end, or too many, do not open', () => {
  const { bytes } = encrypt(secret, identity, masterKey)
  for (let length = 0; length < bytes.length; length++)
    expect(() => decryptAny(bytes.subarray(0, length)), `${length} bytes`).toThrow(DamagedSecret)
  expect(() => decryptAny(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(DamagedSecret)
})

describe('a secret that is moved does not open', () => {
  it.each<[SecretIdentity]>([
    [['sms_key', 7, 'github', 'work']],
    [['credential', 8, 'github', 'work']],
    [['credential', 7, 'github', 'home']],
    [['credential', 7, 'github']],
    [['credential', 7, 'githubwork', '']],
    [['credential', 7, 'github', 'work', '']],
    [['credential', 7, 'github","work']],
  ])('a secret that is moved to %j does not open', (other) => {
    const { bytes } = encrypt(secret, identity, masterKey)
    expect(() => open(bytes, other)).toThrow(DamagedSecret)
  })

  it('a secret does not open if a number in its identity became a text', () => {
    const { bytes } = encrypt(secret, ['sms_key', 7, 3], masterKey)
    expect(() => open(bytes, ['sms_key', 7, '3'])).toThrow(DamagedSecret)
  })
})

it('another master key does not open it', () => {
  const other = MasterKey.random()
  const { bytes } = encrypt(secret, identity, masterKey)
  expect(() => decrypt(bytes, identity, other)).toThrow(DamagedSecret)
})

it('an error shows neither the secret nor the name of the row', () => {
  const { bytes } = encrypt(secret, identity, masterKey)
  const message = messageOf(() => open(bytes, ['credential', 7, 'private', 'names']))
  expect(message).toBe('A secret in the table credential of the account 7 does not decrypt.')
})

function messageOf(work: () => unknown): string {
  try {
    return String(work())
  } catch (error) {
    return (error as Error).message
  }
}

it('equal texts have nothing in common but version and key id', () => {
  const all = Array.from({ length: 1000 }, () => encrypt(secret, identity, masterKey).bytes)
  for (const part of [
    (bytes: Uint8Array) => bytes.subarray(9, headBytes),
    (bytes: Uint8Array) => bytes.subarray(headBytes, headBytes + 12),
    (bytes: Uint8Array) => bytes.subarray(headBytes + 12),
  ])
    expect(new Set(all.map((bytes) => Buffer.from(part(bytes)).toString('hex'))).size).toBe(all.length)
})

describe('rewrapHead', () => {
  const next = MasterKey.random()

  it('moves a text to another master key, and changes only the head', () => {
    const { bytes } = encrypt(secret, identity, masterKey)
    const head = rewrapHead(bytes.subarray(0, headBytes), masterKey, next)
    const moved = Buffer.concat([head ?? Buffer.alloc(0), bytes.subarray(headBytes)])
    expect(open(moved, identity, next)).toBe(secret)
    expect(moved.length).toBe(bytes.length)
  })

  it.each([
    ['a head of another key', (head: Buffer) => rewrapHead(head, next, masterKey)],
    ['a head that is cut', (head: Buffer) => rewrapHead(head.subarray(1), masterKey, next)],
    ['a damaged head', (head: Buffer) => rewrapHead(head.fill(7, 20), masterKey, next)],
    ['another version', (head: Buffer) => rewrapHead(head.fill(2, 0, 1), masterKey, next)],
  ])('refuses %s', (_, rewrapped) => {
    const { bytes } = encrypt(secret, identity, masterKey)
    expect(rewrapped(Buffer.from(bytes.subarray(0, headBytes)))).toBeUndefined()
  })
})

it('wraps keys as RFC 3394 does (section 4.6)', () => {
  const kek = new MasterKey(Buffer.from('000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F', 'hex'))
  const key = Buffer.from('00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F', 'hex')
  const wrapped = '28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21'
  expect(kek.wrap(key).toString('hex').toUpperCase()).toBe(wrapped)
  expect(kek.unwrap(Buffer.from(wrapped, 'hex'))).toEqual(key)
})
