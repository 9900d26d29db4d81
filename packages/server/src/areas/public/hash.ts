import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { badRequest, hashInputMaxBytes, type Areas, type Input, type Output } from '@svc/contract'

type HashOperation = Areas['public']['hash']

/**
 * Hashes a text as UTF-8; the empty text too.
 * @throws ApiError `bad_request` for more than 8192 bytes (specification, section 8)
 */
export function hashOf({ value, algo = 'sha256' }: Input<HashOperation>['query']): Output<HashOperation> {
  const length = Buffer.byteLength(value)
  if (length > hashInputMaxBytes)
    throw badRequest('value', `must have at most ${hashInputMaxBytes} bytes in UTF-8, not ${length}`)
  const digest = algo === 'crc32b' ? crc32b(value) : hash(algo, value, 'buffer')
  return { algo, hex: digest.toString('hex'), base64: digest.toString('base64'), length }
}

/** CRC-32 as in zlib (RFC 1952, section 8), in big-endian bytes. The name `crc32b` and the order of bytes are PHP's. */
function crc32b(value: string): Buffer {
  const digest = Buffer.alloc(4)
  digest.writeUInt32BE(crc32(value))
  return digest
}
