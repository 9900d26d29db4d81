import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { GuardedConnections, GuardedRequest } from './outbound/guarded-connections.js'

/**
 * Requests whose whole answer is read go through this file, so that no peer can hold a request or fill the memory. Requests to URLs
 * of users, whose answers are discarded, go through `outbound/`.
 */

export interface Bounds {
  /** Milliseconds for the whole exchange: connecting, sending, redirects and the body of the answer. */
  readonly deadlineMs: number
  /** The longest body that is accepted, in bytes after decompression. */
  readonly maxBytes: number
  /** Aborts the request. */
  readonly stop?: AbortSignal | undefined
}

export interface BoundedRequest extends Bounds, Omit<RequestInit, 'signal' | 'redirect'> {
  /** `follow` sends the headers of the request to each target, `Authorization` and `Cookie` to the same origin only. */
  readonly redirects: 'follow' | 'error'
}

export interface BoundedAnswer {
  readonly status: number
  /** The body, decoded as UTF-8. */
  readonly text: string
}

/**
 * Sends a request over HTTP and reads the whole answer, within a deadline and a size limit. A connection that breaks in the
 * body is an error, with one exception: `fetch` treats a compressed body without Content-Length as complete when the
 * connection ends. The caller's parser must reject a truncated text.
 * @throws DOMException `TimeoutError` at the deadline; TypeError for a connection that fails or a redirect that is not
 * allowed, with the reason as its `cause`; RangeError for a body that is too long
 */
export async function boundedFetch(url: string, request: BoundedRequest): Promise<BoundedAnswer> {
  const { deadlineMs, maxBytes, redirects, stop, ...init } = request
  const response = await fetch(url, { ...init, redirect: redirects, signal: signalOf({ deadlineMs, stop }) })
  return { status: response.status, text: await boundedText(response.body, maxBytes) }
}

/** Aborts at the deadline, or when the caller stops. */
const signalOf = ({ deadlineMs, stop }: Pick<Bounds, 'deadlineMs' | 'stop'>): AbortSignal => {
  const timeout = AbortSignal.timeout(Math.ceil(deadlineMs))
  return stop === undefined ? timeout : AbortSignal.any([timeout, stop])
}

export interface GuardedFetch extends Bounds {
  /** Check each address that they connect to, also after a redirect. */
  readonly connections: GuardedConnections
  /** The accepted media types. */
  readonly accept: string
}

/** Redirects that are followed to servers that the operator has not named. */
const hopsMax = 3

/**
 * Sends a GET request to a server that the operator has not named, and reads the whole answer. Only an answer with 200 is decompressed.
 * @throws DOMException `TimeoutError` at the deadline; TargetError for an address that is not public; RangeError for a body that is
 * too long; Error for a connection that fails or too many redirects
 */
export async function guardedFetch(url: string, request: GuardedFetch): Promise<BoundedAnswer> {
  const { connections, accept, maxBytes } = request
  const signal = signalOf(request)
  const headers = ['Accept', accept, 'Accept-Encoding', [...decoders.keys()].join(', ')]
  try {
    const answer = await follow(new URL(url), { headers, signal }, connections, hopsMax)
    return { status: answer.statusCode ?? 0, text: await boundedText(decoded(answer), maxBytes) }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

export interface GuardedExchange extends Bounds {
  readonly connections: Pick<GuardedConnections, 'request'>
  readonly method: string
  /** Names and values in turn. `Host`, `Connection: close` and `Content-Length` are added. */
  readonly headers: readonly string[]
  readonly body?: string | undefined
}

export interface ExchangeAnswer extends BoundedAnswer {
  readonly headers: IncomingHttpHeaders
}

/**
 * Sends one request with any method over guarded connections, and reads the whole answer. It follows no redirect and accepts no
 * compression.
 * @throws the same as `guardedFetch`
 */
export async function guardedExchange(url: URL, request: GuardedExchange): Promise<ExchangeAnswer> {
  const { connections, method, maxBytes } = request
  const signal = signalOf(request)
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const headers = [...request.headers, ...(body === undefined ? [] : ['Content-Length', String(body.length)])]
  try {
    const answer = await connections.request(url, { method, headers, signal, ...(body && { body }) })
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await boundedText(answer, maxBytes) }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

async function follow(
  url: URL,
  request: GuardedRequest,
  connections: GuardedConnections,
  hops: number,
): Promise<IncomingMessage> {
  const answer = await connections.request(url, request)
  const { statusCode: status = 0, headers } = answer
  if (status < 300 || status > 399 || headers.location === undefined) return answer
  answer.destroy()
  if (hops === 0) throw new Error('The server redirects too often.')
  return follow(new URL(headers.location, url), request, connections, hops - 1)
}

const decoders = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Destroying the result closes the connection. A failure in the answer is one in the result. */
function decoded(answer: IncomingMessage): AsyncIterable<Uint8Array> {
  const decoder = decoders.get(answer.headers['content-encoding'] ?? '')
  // Errors can have a Content-Encoding and no body, which no decoder accepts. Their text is not read.
  if (decoder === undefined || answer.statusCode !== 200) return answer
  return pipeline(answer, decoder(), () => undefined)
}

/** Not Response.text(), which has no limit: a small compressed body can decompress to gigabytes. */
async function boundedText(body: unknown, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, which closes the connection.
    if (bytes > maxBytes) throw new RangeError(`The answer is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
