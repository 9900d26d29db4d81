import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import { StorageError } from '../ports/blobs/port.js'
import type { Download, DownloadContent } from './answer.js'
import { contentRange, DownloadBody, multipartPieces, type Piece } from './bytes-out/download-body.js'
import { selectRanges } from './bytes-out/select-ranges.js'
import { whenEnded, whenNext } from './bytes-out/when-ended.js'
import { evaluateConditions, headOf, isRangeCurrent, preconditionFailed } from './conditions.js'
import { contentPolicyOf } from './headers.js'
import { noBody } from './send.js'

/**
 * The host that serves a download. The API is on the origin of the console, so its downloads are only saved and never displayed, except
 * for PDF files in a frame of the console, which have no access to their origin.
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
  const content = host === 'api' ? savedOrFramed(download.content) : download.content
  const isHead = request.method === 'HEAD'
  const outcome = evaluateConditions(request.headers, content)
  const head = headOf(content, outcome)
  const hasBody = !isHead && outcome === 'send'
  const ranges = hasBody ? rangesOf(request, content) : 'whole'
  const parts = partsOf(content, ranges)
  const body = new DownloadBody(content, hasBody ? parts.pieces : [])
  whenEnded(request, reply, () => {
    body.close(reply.raw.writableFinished)
    content.onSent?.(body.sent)
  })
  // The table of codes of the API has no 412.
  if (outcome === 'failed' && host === 'api') throw preconditionFailed()
  if (ranges === 'none') return refuseRange(reply, content.size, host)
  const inMemory = body.length > 0 ? await openBody(request, reply, body) : undefined
  if (body.length > 0 && body.isClosed) return reply.hijack()
  reply.code(head.status).headers(head.headers)
  if (parts.headers) reply.code(206).headers({ ...parts.headers, 'content-length': body.length })
  if (body.length > 0) return writeBody(reply, body, inMemory)
  return reply.send(noBody(request))
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
const onlySaved = "sandbox; default-src 'none'"

function savedOrFramed(content: DownloadContent): DownloadContent {
  const { framedAs, headers } = content
  if (framedAs === undefined)
    return { ...content, disposition: 'attachment', headers: { ...headers, 'content-security-policy': onlySaved } }
  // The type is not the text of the owner, which a browser may read as another type.
  const policy = `${contentPolicyOf(framedAs)}; frame-ancestors 'self'`
  return {
    ...content,
    mediaType: framedAs,
    disposition: 'inline',
    headers: { ...headers, 'content-security-policy': policy },
  }
}

/** The parts of the content that are requested. Range does not apply to an error page. */
function rangesOf({ headers }: FastifyRequest, content: DownloadContent): ReturnType<typeof selectRanges> {
  if (headers.range === undefined || content.status === 404 || !isRangeCurrent(headers, content)) return 'whole'
  return selectRanges(headers.range, content.size)
}

interface Parts {
  /** Of a part of the content; undefined for the whole. */
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: readonly Piece[]
}

function partsOf(content: DownloadContent, ranges: ReturnType<typeof selectRanges>): Parts {
  const { size, mediaType } = content
  if (ranges === 'none') return { pieces: [] }
  if (ranges === 'whole') return { pieces: size === 0 ? [] : [{ first: 0, last: size - 1 }] }
  const [only] = ranges
  if (ranges.length === 1 && only)
    return { headers: { 'content-type': mediaType, 'content-range': contentRange(only, size) }, pieces: [only] }
  const { mediaType: multipart, pieces } = multipartPieces(content, ranges)
  return { headers: { 'content-type': multipart }, pieces }
}

/** @throws ApiError if 416 is not in the table of codes */
function refuseRange(reply: FastifyReply, size: number, host: DownloadHost): FastifyReply {
  if (host === 'api') throw new ApiError('bad_request', `Range names no byte of the file, which has ${size} bytes.`)
  return reply
    .code(416)
    .headers({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' })
    .send()
}
