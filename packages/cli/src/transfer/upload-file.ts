import { createHash, type Hash } from 'node:crypto'
import { SvcError, type Answer } from '@svc/client'
import { OperatorError } from '@svc/server'
import { inLanes } from './lanes.js'
import { discard, finalize, isHopeless, type Details } from './large-file.js'
import type { LocalFile } from './local-file.js'
import { sendPersistently, type Transfer } from './part-sender.js'
import { partCountOf, partLengthOf } from './parts.js'
import type { RecordKeeper } from './record-keeper.js'
import type { RecordedUpload } from './upload-record.js'

/** Parts that are sent at the same time. Each is in memory. */
const lanes = 3

export interface FileUpload {
  readonly file: LocalFile
  readonly details: Details
  /** Length of the parts of a new upload, in bytes. */
  readonly partBytes: number
  readonly record: RecordKeeper
  /** Deadline for assembling the parts, in milliseconds. */
  readonly timeoutMs: number
}

/** An upload that the server knows. */
interface Begun {
  readonly id: number
  readonly partBytes: number
  /** Indexes of the parts that the server has. */
  readonly received: Set<number>
}

/**
 * Uploads a file, or the parts that an earlier run has not sent.
 * @throws the errors of `Caller`; OperatorError if the file cannot be read or changes
 */
export async function uploadFile(upload: FileUpload, transfer: Transfer): Promise<Answer> {
  const { file, record } = upload
  let earlier = record.load()
  transfer.progress.expect(file.size)
  if (earlier?.sha256 !== undefined) {
    const answer = await finalizeEarlier(upload, earlier, earlier.sha256, transfer)
    if (typeof answer === 'object') return answer
    if (answer === 'forgotten') earlier = undefined
  }
  const begun = (earlier && (await continueEarlier(upload, earlier, transfer))) ?? (await begin(upload, transfer))
  return unlessHopeless(upload, begun, transfer, async () => {
    const sha256 = await sendMissing(upload, begun, transfer)
    await file.expectUnchanged()
    record.save(recordOf(begun, sha256))
    return finalizeAndForget(upload, begun, sha256, transfer)
  })
}

/** Discards the parts if they cannot become the file: they would count against the limits of the account for a day. */
async function unlessHopeless<R>(
  { record }: FileUpload,
  { id }: Pick<Begun, 'id'>,
  { call, progress }: Transfer,
  act: () => Promise<R>,
): Promise<R> {
  try {
    return await act()
  } catch (error) {
    // An OperatorError: the file has changed, or cannot be read.
    if (!isHopeless(error) && !(error instanceof OperatorError)) throw error
    record.forget()
    const kept = await discard(call, id)
    if (kept !== undefined) progress.note(kept)
    throw error
  }
}

async function begin({ file, partBytes }: FileUpload, transfer: Transfer): Promise<Begun> {
  const bytes = await readPart(file, partBytes, 0)
  const { upload_id: id, received } = await sendPersistently(transfer, {
    uploadId: undefined,
    index: 0,
    fileSize: file.size,
    bytes,
  })
  return { id, partBytes, received: new Set(received) }
}

const continueEarlier = (upload: FileUpload, earlier: RecordedUpload, transfer: Transfer) =>
  unlessHopeless(upload, { id: earlier.upload_id }, transfer, () => resume(upload, earlier, transfer))

/** Sends the next part, whose answer names the parts that the server has. @returns undefined if it has forgotten the upload */
async function resume(
  { file }: FileUpload,
  { upload_id: uploadId, part_bytes: partBytes, next }: RecordedUpload,
  transfer: Transfer,
): Promise<Begun | undefined> {
  const index = Math.min(next, partCountOf(file.size, partBytes) - 1)
  const bytes = await readPart(file, partBytes, index)
  try {
    const { received } = await sendPersistently(transfer, { uploadId, index, bytes })
    for (const had of received) if (had !== index) transfer.progress.skip(partLengthOf(file.size, partBytes, had))
    return { id: uploadId, partBytes, received: new Set(received) }
  } catch (error) {
    if (!isForgotten(error)) throw error
    reportForgotten(transfer)
    return undefined
  }
}

/** @returns the SHA-256 of the whole file, in hexadecimal */
async function sendMissing({ file, record }: FileUpload, begun: Begun, transfer: Transfer): Promise<string> {
  const hash = createHash('sha256')
  record.save(recordOf(begun))
  await inLanes(lanes, missingParts(file, begun, hash), async ({ index, bytes }, signal) => {
    await sendPersistently(transfer, { uploadId: begun.id, index, bytes }, signal)
    begun.received.add(index)
    record.save(recordOf(begun))
  })
  return hash.digest('hex')
}

/** Reads the whole file in order, for the hash. */
async function* missingParts(file: LocalFile, { partBytes, received }: Begun, hash: Hash) {
  const count = partCountOf(file.size, partBytes)
  for (let index = 0; index < count; index++) {
    const bytes = await readPart(file, partBytes, index)
    hash.update(bytes)
    if (!received.has(index)) yield { index, bytes }
  }
}

const readPart = (file: LocalFile, partBytes: number, index: number) =>
  file.read(index * partBytes, partLengthOf(file.size, partBytes, index))

function recordOf({ id, partBytes, received }: Begun, sha256?: string) {
  let next = 0
  while (received.has(next)) next++
  return { upload_id: id, part_bytes: partBytes, next, sha256 }
}

/**
 * Finalizes an upload of which all parts were sent: the earlier run may have ended after that.
 * @returns the answer; `incomplete` if parts have to be sent first
 */
async function finalizeEarlier(
  upload: FileUpload,
  { upload_id: id, part_bytes: partBytes }: RecordedUpload,
  sha256: string,
  transfer: Transfer,
): Promise<Answer | 'forgotten' | 'incomplete'> {
  try {
    const answer = await finalizeAndForget(upload, { id, partBytes }, sha256, transfer)
    transfer.progress.skip(upload.file.size)
    return answer
  } catch (error) {
    if (isForgotten(error)) return reportForgotten(transfer)
    if (error instanceof SvcError && error.code === 'bad_request') return 'incomplete'
    throw error
  }
}

async function finalizeAndForget(
  { file, details, record, timeoutMs }: FileUpload,
  { id, partBytes }: Pick<Begun, 'id' | 'partBytes'>,
  sha256: string,
  { call, patience }: Transfer,
): Promise<Answer> {
  const parts = partCountOf(file.size, partBytes)
  const whole = { uploadId: id, parts, sha256, details, timeoutMs }
  const answer = await patience.persist(() => finalize(call, whole))
  record.forget()
  return answer
}

/** Whether the upload has expired, or is of another account, whose token was used before. */
const isForgotten = (error: unknown): boolean =>
  error instanceof SvcError && (error.code === 'not_found' || error.code === 'forbidden')

function reportForgotten({ progress }: Transfer): 'forgotten' {
  progress.note('the server no longer has the unfinished upload: all parts are sent again')
  return 'forgotten'
}
