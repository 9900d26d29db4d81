import type { IncomingMessage } from 'node:http'
import { errorCodes } from 'fastify'
import { ApiError } from '@svc/contract'

/** How many chunks are joined at a time. A mebibyte in chunks of one byte would be 150 MB of buffers, and take 100 ms to join. */
const joinedAtATime = 1024

/**
 * Reads a body to its end.
 * @param limit its largest length in bytes
 * @throws FST_ERR_CTP_BODY_TOO_LARGE as soon as it is longer; the rest is not read
 * @throws ApiError `bad_request` if the client leaves before the end
 */
export function readBody(payload: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const joined: Buffer[] = []
    let chunks: Buffer[] = []
    let length = 0

    function settle(error?: Error): void {
      payload.off('data', take).off('end', settle).off('error', fail)
      if (error === undefined) resolve(Buffer.concat([...joined, ...chunks], length))
      else reject(error)
    }
    function take(chunk: Buffer): void {
      length += chunk.length
      if (length > limit) {
        settle(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
        return
      }
      chunks.push(chunk)
      if (chunks.length < joinedAtATime) return
      joined.push(Buffer.concat(chunks))
      chunks = []
    }
    const fail = () => {
      settle(new ApiError('bad_request', 'The request could not be read.'))
    }

    if (Number(payload.headers['content-length']) > limit) settle(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    // The client has left already: no event follows.
    else if (payload.destroyed) fail()
    else payload.on('data', take).on('end', settle).on('error', fail)
  })
}
