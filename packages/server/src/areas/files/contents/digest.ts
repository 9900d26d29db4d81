import { createHash } from 'node:crypto'
import type { Blobs } from '../../../ports/blobs/port.js'
import type { Part } from './pieces.js'

/**
 * Computes the SHA-256 of parts that follow one another, in lower-case hexadecimal. The parts are read chunk by chunk, so
 * other requests run in between.
 * @throws StorageError
 */
export async function digestOf(blobs: Blobs, parts: readonly Part[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { key, size } of parts) {
    if (size === 0) continue
    for await (const chunk of await blobs.open(key, { first: 0, last: size - 1 })) hash.update(chunk as Buffer)
  }
  return hash.digest('hex')
}
