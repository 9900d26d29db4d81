import { openKey, type Operation } from '../../operation.js'
import { fieldsOf, type Field, type Json } from '../json-schema.js'
import type { SharedSchemas } from './shared-schemas.js'
import type { MediaType } from './types.js'

const form = 'multipart/form-data'

/**
 * The body of an operation in each of its media types. JSON comes first, and only JSON has a schema: generators of clients type the
 * first media type (hey-api), or send no Content-Type if several have schemas (orval). Bytes need none (OpenAPI 3.1.0, section 4.8.14.2).
 */
export function bodyContent(op: Operation, body: object, shared: SharedSchemas): Record<string, MediaType> {
  const example = op.example.body as Json | undefined
  // Section 4 of the specification has JSON bodies only, so every other media type is an open detail.
  const others = Object.entries(op.otherBodies ?? {}).map(([type, why]) => [type, { [openKey]: why }] as const)
  return {
    'application/json': { schema: shared.refer(op, body), ...(example !== undefined && { example }) },
    ...Object.fromEntries(others),
  }
}

/** The fields that are in the query if the body is nothing but bytes, with the media types of such bodies; none without one. */
export function fieldsBesideBytes(op: Operation): { readonly fields: readonly Field[]; readonly types: readonly string[] } {
  const types = op.bytes ? Object.keys(op.otherBodies ?? {}).filter((type) => type !== form) : []
  return { fields: types.length > 0 ? fieldsOf(op.body).filter(({ name }) => name !== op.bytes?.field) : [], types }
}
