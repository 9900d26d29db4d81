import type { FastifyRequest } from 'fastify'
import { ApiError, type ByteField, type Operation } from '@svc/contract'
import type { InputChecks } from '../validate.js'
import { arriving, type ByteBody } from './byte-body.js'
import { jsonBody } from './json-body.js'
import { multipartBody } from './multipart-body.js'

/** An operation whose body has a field of bytes. */
export type ByteOperation = Operation & { readonly bytes: ByteField }

export const isByteOperation = (op: Operation): op is ByteOperation => op.bytes !== undefined

/** The most files of a body. @throws Error for a list of files without a maximum */
export function maxFilesOf({ id, body, bytes }: ByteOperation): number {
  if (!bytes.each) return 1
  const { maxItems } = (body?.properties[bytes.field] ?? {}) as { readonly maxItems?: number }
  if (maxItems === undefined) throw new Error(`${id} has a list of files without a maximum.`)
  return maxItems
}

const json = 'application/json'
const form = 'multipart/form-data'

/**
 * Chooses the form of a body by its media type. Nothing of it is read yet.
 * @throws ApiError for another media type, or for a query with other fields than those of a body without fields
 */
export function openBody(request: FastifyRequest, op: ByteOperation, checks: InputChecks): ByteBody {
  const type = mediaTypeOf(request)
  const bytes = arriving(request.raw)
  if (type !== json && !Object.hasOwn(op.otherBodies ?? {}, type)) throw otherMediaType(op)
  // Only a body that is nothing but bytes has its fields in the query.
  if (type === json || type === form) checks.query(request.query, request.url)
  if (type === json) return jsonBody(bytes, op.bytes, checks.body)
  if (type === form)
    return multipartBody(bytes, request.headers['content-type'] ?? '', op.bytes, checks.form, maxFilesOf(op))
  const known = checks.bodyQuery(request.query, request.url)
  return {
    bytes,
    known: () => Promise.resolve(known),
    fields: () => known,
    names: () => [],
    maxLength: (length) => length,
  }
}

/** Lower-case, without parameters. Without a body it does not matter. */
function mediaTypeOf({ headers }: FastifyRequest): string {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers
  if (type === undefined) return length === '0' && coding === undefined ? json : ''
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** 400 for a body in a media type that the operation does not take. */
export function otherMediaType(op: Operation): ApiError {
  const accepted = [json, ...Object.keys(op.otherBodies ?? {})].join(' or ')
  return new ApiError('bad_request', `The body must be ${accepted}, named in the header Content-Type.`)
}
