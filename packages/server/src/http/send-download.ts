import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import { StorageError, type ByteRange } from '../ports/blobs/port.js'
import type { Download, DownloadContent, DownloadDescription } from './answer.js'
import { contentRange, DownloadBody, multipartPieces, type Piece } from './bytes-out/download-body.js'
import { selectRanges } from './bytes-out/select-ranges.js'
import { whenEnded, whenNext } from './bytes-out/when-ended.js'
import { evaluateConditions, isRangeCurrent, lastModifiedHeader, preconditionFailed } from './conditions.js'

/**
 * The host that serves a download. The API is on the origin of the console, so its downloads are only saved and never displayed.
 * Its table of codes is closed: it has no 412 for a condition that fails and no 416 for a Range without a satisfiable part.
 */
export type DownloadHost = 'api' | 'content'

/**
 * Sends stored bytes for GET and HEAD, with conditional requests and ranges (RFC 9110, sections 13 and 14).
 * @returns the reply, so that Fastify can wait for its end
 * @throws StorageError if the bytes cannot be opened; ApiError `bad_request` for a failed condition or an unsatisfiable Range
 */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  host: DownloadHost,
): Promise<FastifyReply> {
  const content = host === 'api' ? onlySaved(download.content) : download.content
  const isHead = request.method === 'HEAD'
  const outcome = evaluateConditions(request.headers, content)
  const hasBody = !isHead && outcome === 'send'
  const ranges = hasBody ? rangesOf(request, content) : 'whole'
  const { status, mediaType, pieces, headers } = partsOf(content, ranges)
  const body = new DownloadBody(content, hasBody ? pieces : [])
  whenEnded(request, reply, () => {
    body.close(reply.raw.writableFinished)
    content.onSent?.(body.sent)
  })
  if (outcome === 'failed') return refuseCondition(reply, content.etag, host)
  if (ranges === 'none') return refuseRange(reply, content.size, host)
  const inMemory = body.length > 0 ? await openBody(request, reply, body) : undefined
  if (body.length > 0 && body.isClosed) return reply.hijack()
  reply.headers(validators(content))
  if (outcome === 'unmodified') reply.code(304)
  else {
    const length = isHead ? content.size : body.length
    reply
      .code(status)
      .headers({ ...dispositionHeader(content), ...headers, 'content-type': mediaType, 'content-length': length })
  }
  if (body.length > 0) return writeBody(reply, body, inMemory)
  // For HEAD, Fastify sets Content-Length to 0 unless the body is a stream.
  return reply.send(isHead ? Readable.from([]) : undefined)
}

/** @returns the body if it is in memory @throws StorageError, but not if the client has left */
async function openBody(request: FastifyRequest, reply: FastifyReply, body: DownloadBody): Promise<Buffer | undefined> {
  await whenNext(request, reply)
  try {
    return await body.open()
  } catch (error) {
    if (body.isClosed) return undefined
    throw error
  }
}

/** Sends the headers, then the body in the background. */
function writeBody(reply: FastifyReply, body: DownloadBody, inMemory: Buffer | undefined): FastifyReply {
  const { raw } = reply
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  reply.hijack()
  if (inMemory) raw.end(inMemory)
  else
    body.writeTo(raw).catch((error: unknown) => {
      // The client sees that the answer ends too early.
      raw.destroy()
      if (error instanceof StorageError && !body.isClosed)
        reply.log.error({ request_id: reply.request.id, err: error }, 'a download ended before its last byte')
    })
  return reply
}

/** For browsers that display it anyway, the policy forbids scripts and separates it from the origin of the console. */
const onlySaved = (content: DownloadContent): DownloadContent => ({
  ...content,
  disposition: 'attachment',
  headers: { ...content.headers, 'content-security-policy': "sandbox; default-src 'none'" },
})

/** The parts of the content that are requested. Range does not apply to an error page. */
function rangesOf({ headers }: FastifyRequest, content: DownloadContent): ReturnType<typeof selectRanges> {
  if (headers.range === undefined || content.status === 404 || !isRangeCurrent(headers, content)) return 'whole'
  return selectRanges(headers.range, content.size)
}

interface Parts {
  readonly status: 200 | 206 | 404
  readonly mediaType: string
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: readonly Piece[]
}

function partsOf(content: DownloadContent, ranges: ReturnType<typeof selectRanges>): Parts {
  const { size, mediaType } = content
  if (ranges === 'none') return { status: 206, mediaType, headers: {}, pieces: [] }
  if (ranges === 'whole') {
    const whole: ByteRange[] = size === 0 ? [] : [{ first: 0, last: size - 1 }]
    return { status: content.status ?? 200, mediaType, headers: {}, pieces: whole }
  }
  const [only] = ranges
  if (ranges.length > 1 || !only) return { status: 206, headers: {}, ...multipartPieces(content, ranges) }
  return { status: 206, mediaType, headers: { 'content-range': contentRange(only, size) }, pieces: [only] }
}

/** Answers with the current entity tag. @throws ApiError if 412 is not in the table of codes */
function refuseCondition(reply: FastifyReply, etag: string, host: DownloadHost): FastifyReply {
  if (host === 'api') throw preconditionFailed()
  return reply.code(412).headers({ etag, 'cache-control': 'no-store' }).send()
}

/** @throws ApiError if 416 is not in the table of codes */
function refuseRange(reply: FastifyReply, size: number, host: DownloadHost): FastifyReply {
  if (host === 'api') throw new ApiError('bad_request', `Range names no byte of the file, which has ${size} bytes.`)
  return reply
    .code(416)
    .headers({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' })
    .send()
}

/** The headers of the whole content. */
export const wholeHeaders = (content: DownloadDescription): Readonly<Record<string, string>> => ({
  ...validators(content),
  ...dispositionHeader(content),
  'content-type': content.mediaType,
  'content-length': String(content.size),
})

/** The headers of every answer, also 304. The handler may allow caching by others. */
export const validators = (content: DownloadDescription): Readonly<Record<string, string>> => ({
  'cache-control': 'private, no-cache',
  ...content.headers,
  etag: content.etag,
  ...lastModifiedHeader(content),
  'accept-ranges': 'bytes',
})

const dispositionHeader = ({ name, disposition }: DownloadDescription) =>
  disposition === 'none' ? {} : { 'content-disposition': contentDisposition(name, { type: disposition }) }
