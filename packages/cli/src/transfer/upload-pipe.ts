import { createHash } from 'node:crypto'
import { uploadPartsMax } from '@svc/contract'
import type { Answer } from '@svc/client'
import { OperatorError } from '@svc/server'
import { finalize, type Details } from './large-file.js'
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
  const hash = createHash('sha256')
  let uploadId: number | undefined
  let parts = 0
  let size = 0
  for await (const bytes of inParts(stream, pipePartBytes)) {
    if (parts === uploadPartsMax)
      throw new OperatorError(`The input is larger than ${pipeMaxBytes / 2 ** 30} GiB: write it to a file first.`)
    hash.update(bytes)
    const answer = await sendPersistently(transfer, { uploadId, index: parts, bytes })
    uploadId = answer.upload_id
    parts++
    size += bytes.length
  }
  if (uploadId === undefined) throw new Error('inParts returned no part')
  const whole = { uploadId, parts, sha256: hash.digest('hex'), details, timeoutMs: timeoutMsFor(size) }
  return transfer.patience.persist(() => finalize(transfer.call, whole))
}
