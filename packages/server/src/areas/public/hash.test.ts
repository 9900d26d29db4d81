import { describe, expect, it } from 'vitest'
import { ApiError, hashInputMaxBytes } from '@svc/contract'
import { hashOf } from './hash.js'

/** FIPS 180-4 and RFC 1321 vectors and the check value of CRC-32/ISO-HDLC; the rest as coreutils and gzip compute it. */
const vectors = [
  ['', 'sha256', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['', 'sha1', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['', 'md5', 'd41d8cd98f00b204e9800998ecf8427e'],
  ['', 'crc32b', '00000000'],
  ['abc', 'sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abc',
    'sha512',
    'ddaf35a193617abacc417349ae204131' +
      '12e6fa4e89a97ea20a9eeee64b55d39a' +
      '2192992a274fc1a836ba3c23a3feebbd' +
      '454d4423643ce80e2a9ac94fa54ca49f',
  ],
  ['abc', 'sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['abc', 'md5', '900150983cd24fb0d6963f7d28e17f72'],
  ['abc', 'crc32b', '352441c2'],
  ['123456789', 'crc32b', 'cbf43926'],
  ['v60', 'crc32b', '00f86c29'],
  ['é', 'sha256', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
  ['é', 'crc32b', '0e048d3e'],
  ['😀', 'sha256', 'f0443a342c5ef54783a111b51ba56c938e474c32324d90c3a60c9c8e3a37e2d9'],
  ['😀', 'md5', '2a02eac39d716a70ecf37579185927b6'],
  ['😀', 'crc32b', '054db544'],
  ['a\0b', 'sha256', '59b271ae1bbcb1d31d41929817f4b16fb439eb4f31520b5ad1d5ce98920a7138'],
  ['a\0b', 'crc32b', '15e87871'],
] as const

const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

describe('hashOf', () => {
  it.each(vectors)('hashes %j by %s', (value, algo, hex) => {
    const length = new TextEncoder().encode(value).length
    expect(hashOf({ value, algo })).toEqual({ algo, hex, base64: inBase64(hex), length })
  })

  it('uses sha256 by default', () => {
    expect(hashOf({ value: 'abc' })).toEqual(hashOf({ value: 'abc', algo: 'sha256' }))
  })

  it.each([
    ['one byte for each character', 'x'.repeat(8192)],
    ['two bytes', 'é'.repeat(4096)],
    ['three bytes', '€'.repeat(2730) + 'é'],
    ['four bytes', '😀'.repeat(2048)],
  ])('accepts 8192 bytes and refuses 8193: %s', (_, value) => {
    expect(hashOf({ value }).length).toBe(hashInputMaxBytes)
    expect(() => hashOf({ value: `${value}x` })).toThrow(
      new ApiError('bad_request', 'value must have at most 8192 bytes in UTF-8, not 8193.'),
    )
  })

  it('counts bytes, not characters', () => {
    expect(() => hashOf({ value: '😀'.repeat(2049) })).toThrow('not 8196.')
  })
})
