import { ApiError, badRequest } from '@svc/contract'
import type { BlobIntake, NewBlob } from '../../ports/blobs/intake.js'
import type { Bytes } from '../../ports/blobs/port.js'
import type { ByteLimits } from '../handler.js'
import { endOfFile } from './byte-body.js'
import { maxFilesOf, type ByteOperation } from './open-body.js'

/** The files of a body while they arrive. */
export interface ArrivingFiles {
  readonly op: ByteOperation
  /** One file after another, each with `endOfFile` after its last byte. */
  readonly bytes: Bytes
  readonly limits: ByteLimits
  /** To be read after `bytes` has ended. */
  readonly names: () => readonly string[]
}

/**
 * Stores the files of a body while they arrive, one after another.
 * @returns each object as soon as it is stored: the caller settles or discards them, also after an error
 * @throws ApiError for too many files and for one that is too large; the errors of `bytes` and of `put`
 */
export async function* storeFiles(
  { op, bytes, limits }: ArrivingFiles,
  intake: Pick<BlobIntake, 'put'>,
): AsyncGenerator<NewBlob> {
  const max = maxFilesOf(op)
  const source = bytes[Symbol.asyncIterator]()
  try {
    for (let count = 1; ; count++) {
      const first = await nextOfFile(source)
      if (first === undefined) return
      if (count > max) throw badRequest(op.bytes.field, `must have at most ${max} items`)
      yield await intake.put(fileFrom(first, source, limits.file))
    }
  } finally {
    await source.return?.()
  }
}

/** The first bytes of the next file, or its end if it is empty. @returns undefined after the last file */
async function nextOfFile(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const next = await source.next()
    if (next.done === true) return undefined
    if (next.value.length > 0 || next.value === endOfFile) return next.value
  }
}

/** One file. Leaving the loop over it leaves the source open. */
async function* fileFrom(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  limit: ByteLimits['file'],
): AsyncGenerator<Uint8Array> {
  let size = 0
  for (let chunk = first; chunk !== endOfFile;) {
    size += chunk.length
    if (limit && size > limit.max) throw new ApiError('bad_request', limit.reason)
    yield chunk
    const next = await source.next()
    // Every file of a body that does not fail has its end.
    chunk = next.done === true ? endOfFile : next.value
  }
}
