import { NoAnswerError, type Caller } from '@svc/client'
import { findUploadsText, sendPart, type Part } from './large-file.js'
import type { Patience } from './patience.js'
import type { Progress } from './progress.js'

/** The parts of a transfer that its steps share. */
export interface Transfer {
  readonly call: Caller
  readonly patience: Patience
  readonly progress: Progress
}

export type PartAnswer = Awaited<ReturnType<typeof sendPart>>

/** The connection accepts this many bytes at a time; progress and idle time are measured by them. */
const sliceBytes = 64 * 1024

/**
 * Sends one part, and sends it again after a break. If the answer to the first part is lost, the server may keep an upload
 * whose id is unknown. It may also be that of another program, so that is only noted.
 * @throws the errors of `Caller`
 */
export function sendPersistently(
  { call, patience, progress }: Transfer,
  { bytes, ...part }: Pick<Part, 'uploadId' | 'index'> & Partial<Pick<Part, 'fileSize'>> & { bytes: Uint8Array },
  signal?: AbortSignal,
): Promise<PartAnswer> {
  let isAnswerLost = false
  const attempt = async () => {
    let sent = 0
    const body = sliced(bytes, (length) => {
      sent += length
      progress.add(length)
    })
    try {
      const answer = await sendPart(call, { fileSize: undefined, ...part, body, length: bytes.length }, signal)
      patience.renew()
      if (isAnswerLost) progress.note(lostUploadNote)
      return answer
    } catch (error) {
      progress.add(-sent)
      isAnswerLost ||= part.uploadId === undefined && sent === bytes.length && error instanceof NoAnswerError
      throw error
    }
  }
  return patience.persist(attempt, signal)
}

const lostUploadNote = `an answer was lost: the server may keep another unfinished upload for a day; ${findUploadsText}`

/** A stream that is read only as fast as the connection accepts it. */
function sliced(bytes: Uint8Array, onRead: (length: number) => void): ReadableStream<Uint8Array> {
  let position = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const slice = bytes.subarray(position, position + sliceBytes)
        position += slice.length
        if (slice.length > 0) controller.enqueue(slice)
        if (position === bytes.length) controller.close()
        onRead(slice.length)
      },
    },
    { highWaterMark: 0 },
  )
}
