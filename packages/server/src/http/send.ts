import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { create as contentDisposition } from 'content-disposition'
import type { Document, DownloadDescription, LongJson, TextFile } from './answer.js'
import { evaluateConditions, headOf, preconditionFailed, refusePreconditions } from './conditions.js'
import { jsonMediaType } from './envelope.js'
import { fixedHeaders, isOpen } from './headers.js'
import { acceptedEncodings } from '../shared/encodings.js'

/** The headers of an answer of JSON, besides the fixed ones. */
export const jsonHeaders = { 'content-type': jsonMediaType, 'cache-control': 'no-store' }

/** The headers as `writeHead` takes them: names and values alternate. `sendJson` sets the first value and the last one. */
const headerListOf = (url: string, isSecure: boolean): string[] =>
  Object.entries({ ...fixedHeaders({ id: '', url, isSecure }), ...jsonHeaders, 'content-length': '' }).flat()

/** With and without the headers of CORS, for http and https. */
const headerLists = {
  http: { open: headerListOf('/v1', false), closed: headerListOf('', false) },
  https: { open: headerListOf('/v1', true), closed: headerListOf('', true) },
}

/**
 * Sends a whole body of JSON. Not with `reply.send`: its checks, and the headers that it collects one by one, take as long as the
 * log line of a request.
 */
export function sendJson(
  { id, url, isSecure }: FastifyRequest,
  reply: FastifyReply,
  json: string,
  length = Buffer.byteLength(json),
): void {
  // The list is shared: `writeHead` reads it at once. A copy for each request would cost more.
  const lists = headerLists[isSecure ? 'https' : 'http']
  const list = isOpen(url) ? lists.open : lists.closed
  list[1] = id
  list[list.length - 1] = String(length)
  reply.raw.writeHead(200, list)
  // A text with one byte per character is ASCII, which Node.js copies faster than UTF-8.
  reply.raw.end(json, length === json.length ? 'latin1' : 'utf8')
  reply.hijack()
}

/** Shorter lists are not worth a stream. In bytes. */
const compressedListMin = 16 * 1024

/** The fastest level makes a list of records 12 times shorter. The window takes 64 kB of memory for each answer instead of 256. */
const listCompression = { level: 1, windowBits: 13, memLevel: 6 }

/**
 * Sends a long list as fast as the client reads it, compressed in the thread pool if it may be and the client prefers that.
 * @param pieces of `list` in the envelope
 */
export function sendList(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  list: LongJson,
  pieces: LongJson['pieces'],
): FastifyReply {
  const body = Readable.from(pieces, { objectMode: false })
  const length = Array.isArray(pieces)
    ? (pieces as readonly Buffer[]).reduce((sum, { length: bytes }) => sum + bytes, 0)
    : undefined
  if (list.isCompressible && (length ?? Infinity) >= compressedListMin) {
    reply.header('vary', 'Accept-Encoding')
    const { encodings } = acceptedEncodings(headers['accept-encoding'])
    if (method !== 'HEAD' && encodings.includes('gzip') && encodings.indexOf('gzip') < encodings.indexOf('identity')) {
      const compressed = createGzip(listCompression)
      // pipeline() destroys the response if a piece fails, and Fastify logs the error.
      pipeline(body, compressed, () => undefined)
      return reply.header('content-encoding', 'gzip').send(compressed)
    }
  }
  if (length !== undefined) reply.header('content-length', length)
  return reply.send(body)
}

/** Sends a document, or 304 to a client that already has it (RFC 9110, 13.1.2). @throws ApiError `bad_request` for a failed condition */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document): FastifyReply {
  const { encodings } = acceptedEncodings(request.headers['accept-encoding'])
  const sent = document.form(encodings)
  const description = describe(sent)
  const outcome = evaluateConditions(request.headers, description)
  if (outcome === 'failed') throw preconditionFailed()
  const { status, headers } = headOf(description, outcome)
  return reply
    .code(status)
    .headers(headers)
    .send(outcome === 'send' ? sent.body : noBody(request))
}

/** For HEAD, Fastify sets Content-Length to 0 unless the body is a stream. */
export const noBody = ({ method }: FastifyRequest): Readable | undefined =>
  method === 'HEAD' ? Readable.from([]) : undefined

const describe = ({ body, etag, mediaType, headers }: Document): DownloadDescription => ({
  size: body.length,
  etag,
  lastModified: undefined,
  mediaType,
  name: '',
  disposition: 'none',
  headers: { 'cache-control': 'no-cache', ...headers },
  acceptsRanges: false,
})

/** Sends a text file as fast as the client reads it. If a piece fails, the client sees that the answer is incomplete. */
export function sendTextFile(request: FastifyRequest, reply: FastifyReply, file: TextFile): FastifyReply {
  refusePreconditions(request.headers)
  reply.headers({
    'content-type': file.mediaType,
    'content-disposition': contentDisposition(file.name),
    'cache-control': 'no-store',
  })
  const pieces = request.method === 'HEAD' ? [] : file.pieces
  return reply.send(Readable.from(pieces, { objectMode: false }))
}
