import { badRequest, badRequestSentence } from '@svc/contract/errors'
import { StorageError, type BlobKey, type Blobs } from '../../../ports/blobs/port.js'
import type { Account } from '../../../shared/account.js'
import { fingerprintOf } from '../contents/content-store.js'
import type { Digests } from '../contents/digest.js'
import type { FileDetails, StoredFile } from '../files/file.js'
import type { FinishStore, OpenUpload } from './finish-store.js'
import { requireComplete } from './received-parts.js'
import type { UploadPart } from './upload-row-store.js'

/** How often the parts are hashed, if they are replaced meanwhile. */
const attemptsMax = 3

export interface Finalization {
  readonly uploadId: number
  readonly parts: number
  /** The SHA-256 that the caller expects, in hexadecimal. */
  readonly sha256: string | undefined
  readonly details: FileDetails
}

interface FinalizeDependencies {
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
export function finalizer({ uploads, blobs, digests, removeBlobs }: FinalizeDependencies) {
  /** @throws ApiError as `FinishStore.find`; `bad_request` for missing parts and another SHA-256: the parts are kept */
  return async (account: Account, finalization: Finalization): Promise<StoredFile> => {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const upload = await uploads.find(account, finalization.uploadId)
      const file =
        'file' in upload ? requireStored(upload.file, finalization) : await assemble(account, finalization, upload)
      if (file !== undefined) return file
    }
    throw badRequest(
      'upload_id',
      'names an upload whose parts are still being replaced: finalize it after the last part',
    )
  }

  /** @returns undefined if a part has been replaced or the upload has been finished meanwhile */
  async function assemble(account: Account, given: Finalization, upload: OpenUpload) {
    requireComplete(upload, given.parts)
    requireDeclared(upload)
    const { fingerprint, bytes: size } = upload
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
    const parts = await uploads.openParts(account, uploadId)
    return parts !== undefined && fingerprintOf(parts) === fingerprint ? parts : undefined
  }
}

/** @throws ApiError `bad_request` if the upload was declared with another number of bytes than its parts have */
function requireDeclared({ bytes, size }: OpenUpload): void {
  if (size !== null && size !== bytes)
    throw badRequestSentence('parts', `The parts have ${bytes} bytes, but the upload was declared with ${size}`)
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
