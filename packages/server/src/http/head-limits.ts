import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ApiError, hashInputMaxBytes } from '@svc/contract'
import type { Destinations } from './destinations.js'
import { failure, plainFailure } from './envelope.js'
import { noOperation, type Observer } from './observe.js'
import { newRequestId } from './request-id.js'

/**
 * Limits of the query and of list headers, checked before any of them is parsed. Their parsers take 1 to 3 ms for 64 KiB, and clients
 * who send a hundred such requests at once would hold the event loop for a third of a second.
 */

/** In bytes. Enough for `value` of public.hash with every byte percent-encoded, and its other parameter. */
export const queryMaxBytes = 3 * hashInputMaxBytes + 1024

/** Of a query. No operation has as many. */
export const parametersMax = 100

/** Each costs ten times as much as another character. `value` of public.hash may be so many spaces. */
const plusSignsMax = hashInputMaxBytes

/** The longest value of a header that holds a list or is parsed, in bytes. Browsers and proxies send less than a tenth. */
export const listHeaderMaxBytes = 4096

/** In lower case. Those that applications define, cookies and credentials are not parsed as lists. */
export const limitedHeaders = [
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'cache-control',
  'content-type',
  'forwarded',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'range',
  'te',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

interface Dependencies extends Pick<Observer, 'recordClosed'> {
  readonly destinations: Destinations
}

/** Answers 400 to requests beyond a limit. The API answers with the envelope, the other hosts with plain text. */
export const limitHeads =
  (dependencies: Dependencies) =>
  (next: RequestListener): RequestListener =>
  (request, response) => {
    const problem = problemOf(request)
    if (problem === undefined) next(request, response)
    else refuse(request, response, new ApiError('bad_request', problem), dependencies)
  }

function problemOf(request: IncomingMessage): string | undefined {
  const { url = '', headers } = request
  const start = url.indexOf('?')
  // Few queries are so long that their parameters need to be counted.
  const ofQuery = start !== -1 && url.length - start > parametersMax ? problemOfQuery(url.slice(start + 1)) : undefined
  if (ofQuery !== undefined) return ofQuery
  // Few requests have so long headers that one of them may be too long.
  if (headerBytesOf(request) <= listHeaderMaxBytes) return undefined
  const long = limitedHeaders.find((name) => (headers[name]?.length ?? 0) > listHeaderMaxBytes)
  return long && `The header ${long} must have at most ${listHeaderMaxBytes} bytes.`
}

function problemOfQuery(query: string): string | undefined {
  if (query.length > queryMaxBytes) return `The query must have at most ${queryMaxBytes} bytes, not ${query.length}.`
  if (hasMore(query, '&', parametersMax - 1)) return `The query must have at most ${parametersMax} parameters.`
  if (hasMore(query, '+', plusSignsMax)) return `The query must have at most ${plusSignsMax} plus signs.`
  return undefined
}

function hasMore(text: string, separator: string, max: number): boolean {
  let count = 0
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) if (++count > max) return true
  return false
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError, dependencies: Dependencies): void {
  const { method, url = '' } = request
  const requestId = newRequestId()
  const observed = { requestId, method, operation: noOperation, caller: null, startedAt: performance.now() }
  response.on('close', () => {
    dependencies.recordClosed(request, response, observed)
  })
  const { part } = dependencies.destinations.of(request)
  const isApi = part === 'api' || part === 'unknown'
  const answer = isApi ? failure(error, { id: requestId, url, isSecure: false }) : plainFailure(error, requestId)
  const { status, headers, body } = answer
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** The bytes of the request target and the headers, without their separators. */
export function headerBytesOf({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): number {
  let bytes = url.length
  for (const text of rawHeaders) bytes += text.length
  return bytes
}
