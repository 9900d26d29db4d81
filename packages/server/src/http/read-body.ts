import type { IncomingMessage } from 'node:http'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import { parseJson } from '../shared/parse-json.js'

/** How many chunks are joined at a time. A mebibyte in chunks of one byte would be 150 MB of buffers, and take 100 ms to join. */
const joinedAtATime = 1024

/** Follows a body while it arrives. */
export interface BodyWatch {
  /** Called with the number of bytes that have arrived. Its error ends the reading. */
  readonly onLength: (bytes: number) => void
  /** Ends the reading with its reason. */
  readonly signal: AbortSignal
}

/** The first bytes of a body. */
export interface BodyStart {
  readonly bytes: Buffer
  /** Whether the body goes on behind them. */
  readonly isCut: boolean
}

/**
 * Reads a body to its end.
 * @param limit its largest length in bytes
 * @throws FST_ERR_CTP_BODY_TOO_LARGE as soon as it is longer; the rest is not read
 * @throws ApiError `bad_request` if the client leaves before the end; the error of `watch`
 */
export async function readBody(payload: IncomingMessage, limit: number, watch?: BodyWatch): Promise<Buffer> {
  if (Number(payload.headers['content-length']) > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  const checkLength = (length: number) => {
    if (length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
    watch?.onLength(length)
  }
  return (await collect(payload, limit, checkLength, watch?.signal)).bytes
}

/** Refuses a compressed body: bytes would be stored as they are, and differ from the file of the sender. @throws ApiError `bad_request` */
export function refuseEncoded({ headers }: FastifyRequest): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers
  if (encoding.toLowerCase() !== 'identity')
    throw new ApiError('bad_request', 'Content-Encoding is not supported: send the body without compression.')
  if (coding.toLowerCase() !== 'chunked')
    throw new ApiError('bad_request', 'Transfer-Encoding may only be chunked: send the body without compression.')
}

/** Reads bodies as JSON in UTF-8 (RFC 8259, 8.1). An empty body counts as missing. */
export function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    refuseEncoded(request)
    const body = await readBody(payload, request.routeOptions.bodyLimit)
    return body.length === 0 ? undefined : parseJson(body, request.routeOptions.config.bodyValuesMax)
  })
}

/**
 * Reads a body to its end and keeps its first bytes. The deadlines of slow clients end a body that is endless.
 * @param limit how many bytes are kept
 * @throws ApiError `bad_request` if the client leaves before the end; the error of `watch`
 */
export const readBodyStart = (payload: IncomingMessage, limit: number, watch?: BodyWatch): Promise<BodyStart> =>
  collect(payload, limit, watch?.onLength, watch?.signal)

function collect(
  payload: IncomingMessage,
  limit: number,
  onLength: BodyWatch['onLength'] | undefined,
  signal: AbortSignal | undefined,
): Promise<BodyStart> {
  return new Promise((resolve, reject) => {
    const joined: Buffer[] = []
    let chunks: Buffer[] = []
    let length = 0

    function settle(error?: Error): void {
      payload.off('data', take).off('end', settle).off('error', fail)
      signal?.removeEventListener('abort', stop)
      if (error === undefined) resolve({ bytes: Buffer.concat([...joined, ...chunks]), isCut: length > limit })
      else reject(error)
    }
    function take(chunk: Buffer): void {
      const room = limit - length
      length += chunk.length
      try {
        onLength?.(length)
      } catch (error) {
        settle(error as Error)
        return
      }
      if (room <= 0) return
      chunks.push(chunk.subarray(0, room))
      if (chunks.length < joinedAtATime) return
      joined.push(Buffer.concat(chunks))
      chunks = []
    }
    const fail = () => {
      settle(new ApiError('bad_request', 'The request could not be read.'))
    }

    const stop = () => {
      settle(signal?.reason as Error)
    }

    // The client has left already: no event follows.
    if (payload.destroyed) fail()
    else payload.on('data', take).on('end', settle).on('error', fail)
    signal?.addEventListener('abort', stop)
  })
}
