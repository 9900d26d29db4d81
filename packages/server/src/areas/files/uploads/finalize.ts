import { badRequest } from '@svc/contract/errors'
import { StorageError, type BlobKey, type Blobs } from '../../../ports/blobs/port.js'
import type { Account } from '../../../shared/account.js'
import { fingerprintOf } from '../contents/content-store.js'
import type { Digests } from '../contents/digest.js'
import type { FileDetails, StoredFile } from '../files/file.js'
import type { FinishStore } from './finish-store.js'
import type { UploadPart } from './upload-row-store.js'

/** How often the parts are hashed, if they are replaced meanwhile. */
const attemptsMax = 3

/** How many ranges of indexes a message names. */
const rangesMax = 20

export interface Finalization {
  readonly uploadId: number
  readonly parts: number
  /** The SHA-256 that the caller expects, in hexadecimal. */
  readonly sha256: string | undefined
  readonly details: FileDetails
}

/** The parts of an upload. A request that waits keeps this instead of the list, which may have 10,000 entries. */
interface Assembly {
  readonly fingerprint: string
  /** In bytes. */
  readonly size: number
}

interface FinalizeParts {
  readonly uploads: FinishStore
  readonly blobs: Blobs
  readonly digests: Digests
  /** Removes objects that no row refers to, in the background. */
  readonly removeBlobs: (keys: readonly BlobKey[]) => void
}

/**
 * Turns an upload into a file. A repeat answers with the same file. The parts are read outside of any transaction; the transaction
 * checks that they are still the same.
 */
export function finalizer({ uploads, blobs, digests, removeBlobs }: FinalizeParts) {
  /** @throws ApiError as `FinishStore.find`; `bad_request` for missing parts and another SHA-256: the parts are kept */
  return async (account: Account, finalization: Finalization): Promise<StoredFile> => {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const upload = await look(account, finalization)
      const file =
        'file' in upload ? requireStored(upload.file, finalization) : await assemble(account, finalization, upload)
      if (file !== undefined) return file
    }
    throw badRequest(
      'upload_id',
      'names an upload whose parts are still being replaced: finalize it after the last part',
    )
  }

  /** @returns the file of a finished upload, otherwise its parts */
  async function look(account: Account, given: Finalization): Promise<{ readonly file: StoredFile } | Assembly> {
    const upload = await uploads.find(account, given.uploadId)
    if ('file' in upload) return upload
    requireComplete(
      upload.parts.map(({ part }) => part),
      given.parts,
    )
    return { fingerprint: fingerprintOf(upload.parts), size: declaredSizeOf(upload) }
  }

  /** @returns undefined if a part has been replaced or the upload has been finished meanwhile */
  async function assemble(account: Account, given: Finalization, { fingerprint, size }: Assembly) {
    const sha256 = await hash(account, given.uploadId, fingerprint)
    if (sha256 === undefined) return undefined
    requireSame(sha256, given.sha256)
    const finished = await uploads.finish(account, given.uploadId, { ...given.details, size, sha256 }, fingerprint)
    if (finished === null) return undefined
    removeBlobs(finished.unused)
    return finished.file
  }

  /** @returns undefined if a part has been replaced, also if its object was removed then, or the upload has been finished */
  async function hash(account: Account, uploadId: number, fingerprint: string): Promise<string | undefined> {
    const parts = () => unchangedParts(account, uploadId, fingerprint)
    try {
      return await digests.of(account.id, { blobs, fingerprint, parts })
    } catch (error) {
      if (error instanceof StorageError && (await parts()) === undefined) return undefined
      throw error
    }
  }

  async function unchangedParts(
    account: Account,
    uploadId: number,
    fingerprint: string,
  ): Promise<readonly UploadPart[] | undefined> {
    const upload = await uploads.find(account, uploadId)
    return 'parts' in upload && fingerprintOf(upload.parts) === fingerprint ? upload.parts : undefined
  }
}

/** The bytes of all parts. @throws ApiError `bad_request` if the upload was declared with another number */
function declaredSizeOf({ parts, size }: { parts: readonly UploadPart[]; size: number | null }): number {
  const bytes = parts.reduce((sum, part) => sum + part.size, 0)
  if (size !== null && size !== bytes)
    throw badRequest('parts', `have ${bytes} bytes, but the upload was declared with ${size}`)
  return bytes
}

/** Checks that a repeat expects the bytes that are stored. @returns the file @throws ApiError `bad_request` */
function requireStored(file: StoredFile, { sha256 }: Finalization): StoredFile {
  if (sha256 !== undefined && sha256.toLowerCase() !== file.sha256)
    throw badRequest('sha256', `is ${sha256}, but the upload is finished, and its file ${file.id} has ${file.sha256}`)
  return file
}

function requireSame(sha256: string, expected: string | undefined): void {
  if (expected !== undefined && expected.toLowerCase() !== sha256)
    throw badRequest(
      'sha256',
      `is ${expected}, but the parts have ${sha256}. The parts are kept: send the wrong ones again`,
    )
}

/**
 * Checks that an upload has exactly the parts from 0 to `parts` - 1.
 * @param received the indexes of its parts, in order
 * @throws ApiError `bad_request` that names the missing parts, or those beyond the last
 */
export function requireComplete(received: readonly number[], parts: number): void {
  const known = new Set(received)
  const missing = Array.from({ length: parts }, (_, index) => index).filter((index) => !known.has(index))
  if (missing.length > 0)
    throw badRequest('parts', `is ${parts}, but ${missing.length} of these parts are missing: ${named(missing)}`)
  const beyond = received.filter((index) => index >= parts)
  if (beyond.length > 0)
    throw badRequest(
      'parts',
      `is ${parts}, so the last part has the index ${parts - 1}, but there are also ${named(beyond)}`,
    )
}

/** The indexes as ranges, such as `3, 7 to 9`. */
function named(indexes: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = []
  for (const index of indexes) {
    const range = ranges.at(-1)
    if (range?.last === index - 1) range.last = index
    else ranges.push({ first: index, last: index })
  }
  const texts = ranges.map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`))
  return texts.slice(0, rangesMax).join(', ') + (texts.length > rangesMax ? ' and more' : '')
}
