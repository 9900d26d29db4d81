import type { Operation } from '@svc/contract'
import { InputError } from './errors.js'

/** The fields of path, query and body in one flat object. */
export type AnyInput = Readonly<Record<string, unknown>>

/** The whole body of a request. Browsers cannot send a `ReadableStream` over HTTP/1.1. */
export type Bytes = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** One of several files. In Node.js, `openAsBlob` of `node:fs` gives the content of a file that is not read into memory. */
export interface NamedFile {
  readonly name: string
  readonly content: Blob
}

/** What a call sends instead of the field that holds bytes. */
export interface ByteContent {
  /** The whole body. */
  readonly bytes?: Bytes | undefined
  /** The file parts of a form. */
  readonly files?: readonly NamedFile[] | undefined
}

/** The HTTP request of a call. */
export interface HttpRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body: string | Bytes | FormData | undefined
  /** Media type of the body; undefined for a form, whose boundary `fetch` chooses. */
  readonly mediaType: string | undefined
}

/** A form has its own framing, so its body is not the bytes alone. */
const formType = 'multipart/form-data'

/** The media type of a body that consists of the bytes alone; undefined if the operation accepts no such body. */
export const rawTypeOf = ({ bytes, otherBodies = {} }: Operation): string | undefined =>
  bytes && Object.keys(otherBodies).find((type) => type !== formType)

/**
 * Separates an input into path, query and body. Undefined fields are not sent.
 * @param content the whole body, beside which the other fields are sent in the query, or the files of a form
 * @throws InputError for an invalid path parameter, and for bytes or files that the operation does not accept
 */
export function requestOf(op: Operation, input: AnyInput, { bytes, files }: ByteContent = {}): HttpRequest {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const inPath = new Set(Object.keys(op.params?.properties ?? {}))
  const inQuery = new Set(Object.keys(op.query?.properties ?? {}))
  const hasJson = op.body !== undefined && bytes === undefined
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [name, value] of given) {
    // Unknown fields are sent as well: the server names them in its error.
    if (inQuery.has(name) || (!inPath.has(name) && !hasJson)) query.append(name, textOf(value))
    else if (!inPath.has(name)) body[name] = value
  }
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(op, name, input[name]))
  return { method: op.method, path: query.size === 0 ? path : `${path}?${query.toString()}`, ...bodyOf() }

  function bodyOf(): Body {
    if (bytes !== undefined) return rawBody(op, input, bytes)
    return files === undefined ? jsonBody(hasJson ? body : undefined) : formBody(op, body, files)
  }
}

type Body = Pick<HttpRequest, 'body' | 'mediaType'>

const jsonBody = (body: object | undefined): Body =>
  body === undefined
    ? { body: undefined, mediaType: undefined }
    : { body: JSON.stringify(body), mediaType: 'application/json' }

function rawBody(op: Operation, input: AnyInput, bytes: Bytes): Body {
  const mediaType = rawTypeOf(op)
  if (mediaType === undefined) throw new InputError(`${op.id}: bytes cannot be its whole body`)
  const field = op.bytes?.field ?? ''
  if (input[field] !== undefined) throw new InputError(`${op.id}: ${field} and bytes cannot be combined`)
  return { body: bytes, mediaType }
}

function formBody(op: Operation, fields: AnyInput, files: readonly NamedFile[]): Body {
  const { field = '', each } = op.bytes ?? {}
  if (each === undefined) throw new InputError(`${op.id}: files are not accepted`)
  if (fields[field] !== undefined) throw new InputError(`${op.id}: ${field} and files cannot be combined`)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, textOf(value))
  for (const { name, content } of files) form.append(field, content, name)
  return { body: form, mediaType: undefined }
}

/** A query or path value as text; a list is separated by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Rejects empty and dot segments, which would change the path, even percent-encoded (URL standard, 4.1). */
function segment(op: Operation, name: string, value: unknown): string {
  const text = value === undefined ? '' : textOf(value)
  if (text === '' || text === '.' || text === '..') {
    const about = { field: name, problem: `is part of the path and cannot be ${JSON.stringify(value)}` }
    throw new InputError(`${op.id}: ${name} ${about.problem}`, about)
  }
  return encodeURIComponent(text)
}
