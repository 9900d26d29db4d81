import type { IncomingHttpHeaders } from 'node:http'
import { create as contentDisposition } from 'content-disposition'
import fresh from 'fresh'
import { ApiError } from '@svc/contract/errors'
import type { DownloadDescription } from './answer.js'

/** The validators of a representation. */
export type Validators = Pick<DownloadDescription, 'status' | 'etag' | 'lastModified'>

/** What the conditions of a request allow: `send` the answer, or answer 304 (`unmodified`) or 412 (`failed`). */
export type Outcome = 'send' | 'unmodified' | 'failed'

/**
 * Evaluates the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2, up to Range. They do not apply to an answer
 * that is an error without them (13.2.1). A client that revalidates with `no-cache` also accepts a 304.
 */
export function evaluateConditions(headers: IncomingHttpHeaders, content: Validators): Outcome {
  if (content.status === 404) return 'send'
  if (!holds(headers, content)) return 'failed'
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = headers
  const isFresh = fresh(
    { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince },
    { etag: content.etag, ...lastModifiedHeader(content) },
  )
  return isFresh ? 'unmodified' : 'send'
}

/** The status and the headers of an answer, however it is sent: by Fastify, as a stream of stored bytes, or from memory. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The head of an answer with the whole content, of a 304, or of a 412, which the content host and sites have. */
export function headOf(content: DownloadDescription, outcome: Outcome): Head {
  const { etag, size, mediaType, name, disposition, acceptsRanges = true } = content
  if (outcome === 'failed') return { status: 412, headers: { etag, 'cache-control': 'no-store' } }
  const validators = {
    // The handler may allow caching by others.
    'cache-control': 'private, no-cache',
    ...content.headers,
    etag,
    ...lastModifiedHeader(content),
    ...(acceptsRanges ? { 'accept-ranges': 'bytes' } : {}),
  }
  if (outcome === 'unmodified') return { status: 304, headers: validators }
  const headers = {
    ...validators,
    ...(disposition === 'none' ? {} : { 'content-disposition': contentDisposition(name, { type: disposition }) }),
    'content-type': mediaType,
    'content-length': String(size),
  }
  return { status: content.status ?? 200, headers }
}

/** Whether Range applies: If-Range does not name another version of the content (RFC 9110, section 13.1.5). */
export function isRangeCurrent({ 'if-range': condition }: IncomingHttpHeaders, content: Validators): boolean {
  // A weak entity tag, which never matches, differs from the strong one.
  return (
    condition === undefined || condition === content.etag || condition === lastModifiedHeader(content)['last-modified']
  )
}

/** Whether a request has a condition that could fail with 412. */
export const hasPrecondition = (headers: IncomingHttpHeaders): boolean =>
  headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined

/** 412 of the API, whose table of codes is closed. */
export const preconditionFailed = (): ApiError =>
  new ApiError(
    'bad_request',
    'If-Match or If-Unmodified-Since names another version than the current one. Start again without it.',
  )

/**
 * Refuses the conditions of a request whose answer has no validators: without the refusal, a write would be made although its
 * condition was not checked. @throws ApiError `bad_request`
 */
export function refusePreconditions(headers: IncomingHttpHeaders): void {
  if (!hasPrecondition(headers)) return
  const name = headers['if-match'] === undefined ? 'If-Unmodified-Since' : 'If-Match'
  throw new ApiError('bad_request', `${name} is not supported here, because the answer has no ETag: leave it out.`)
}

/** If-Match, or If-Unmodified-Since without it. */
function holds(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = headers
  // A weak entity tag never matches here (RFC 9110, section 13.1.1).
  if (match !== undefined) return match.trim() === '*' || match.match(entityTags)?.includes(etag) === true
  if (unmodifiedSince === undefined || lastModified === undefined) return true
  // An invalid date is ignored: it compares as false.
  return !(secondAfter(lastModified) > Date.parse(unmodifiedSince))
}

/** RFC 9110, section 8.8.3. */
const entityTags = /(?:W\/)?"[^"]*"/g

/**
 * Last-Modified, without a value in the second of the change. A date has whole seconds, and a second change in the same second must
 * have another one. So the date is the second after the change, and is sent from then on: a client that has it has the bytes of the last
 * change before it. With the second of the change, `If-Modified-Since` would be answered with 304 for changed bytes.
 */
export function lastModifiedHeader({
  lastModified,
}: Pick<Validators, 'lastModified'>): Readonly<Record<string, string>> {
  if (lastModified === undefined || isYoung(lastModified)) return {}
  return { 'last-modified': new Date(secondAfter(lastModified)).toUTCString() }
}

/** Whether the second of the change has not ended. @param changedAt milliseconds since the epoch */
export const isYoung = (changedAt: number | undefined): boolean =>
  changedAt !== undefined && Date.now() < secondAfter(changedAt)

/** The start of the next second. */
const secondAfter = (changedAt: number): number => (Math.floor(changedAt / 1000) + 1) * 1000
