import { createHash } from 'node:crypto'
import { uploadPartsMax } from '@svc/contract'
import type { Answer } from '@svc/client'
import { OperatorError } from '@svc/server'
import { beforeSignal } from './before-signal.js'
import { discard, finalize, type Details } from './large-file.js'
import type { Pipe } from './local-file.js'
import { sendPersistently, type Transfer } from './part-sender.js'
import { inParts, pipeMaxBytes, pipePartBytes } from './parts.js'

/**
 * Uploads input that can be read only once, one part at a time. A part that was sent can be sent again, so a break of the
 * connection is repaired; the end of the command is not.
 * @throws the errors of `Caller`; OperatorError for input that is too long
 */
export async function uploadPipe(
  { stream }: Pipe,
  details: Details,
  transfer: Transfer,
  timeoutMsFor: (bytes: number) => number,
): Promise<Answer> {
  const sent: Sent = { uploadId: undefined, parts: 0, size: 0 }
  // Neither this run nor another one can continue it.
  const discardSent = async () => {
    const kept = sent.uploadId === undefined ? undefined : await discard(transfer.call, sent.uploadId)
    if (kept !== undefined) transfer.progress.note(kept)
  }
  const ignoreSignals = beforeSignal(discardSent)
  try {
    const sha256 = await sendAll(stream, sent, transfer)
    if (sent.uploadId === undefined) throw new Error('inParts returned no part')
    const { uploadId, parts, size } = sent
    const whole = { uploadId, parts, sha256, details, timeoutMs: timeoutMsFor(size) }
    return await transfer.patience.persist(() => finalize(transfer.call, whole))
  } catch (error) {
    await discardSent()
    throw error
  } finally {
    ignoreSignals()
  }
}

interface Sent {
  uploadId: number | undefined
  parts: number
  /** In bytes. */
  size: number
}

/** @param sent changes with each part @returns the SHA-256 of the input, in hexadecimal */
async function sendAll(stream: Pipe['stream'], sent: Sent, transfer: Transfer): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of inParts(stream, pipePartBytes)) {
    if (sent.parts === uploadPartsMax)
      throw new OperatorError(`The input is larger than ${pipeMaxBytes / 2 ** 30} GiB: write it to a file first.`)
    hash.update(bytes)
    const answer = await sendPersistently(transfer, { uploadId: sent.uploadId, index: sent.parts, bytes })
    sent.uploadId = answer.upload_id
    sent.parts++
    sent.size += bytes.length
  }
  return hash.digest('hex')
}
