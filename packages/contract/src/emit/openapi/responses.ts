import type { ErrorCode } from '../../errors.js'
import { errorsOf, isEventStream, type Operation } from '../../operation.js'
import type { Json, JsonSchema } from '../json-schema.js'
import { byStatus, errorCondition, errorExample, errorSchemaName, exampleRequestId } from './errors.js'
import { pascal, schemaRef } from './names.js'
import type { SharedSchemas } from './shared-schemas.js'
import type { MediaType, Ref, ResponseObject } from './types.js'

/** The headers of every response. */
const headers = { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' } } as const

/** Every response of the operation, by status. */
export function responsesOf(op: Operation, shared: SharedSchemas): Record<string, ResponseObject | Ref> {
  const failures = byStatus(errorsOf(op)).map(([status, codes]) => [
    String(status),
    { $ref: `#/components/responses/${errorResponseName(codes)}` },
  ])
  return {
    '200': { description: isEventStream(op) ? 'The events' : successText[op.kind], headers, content: successContent(op, shared) },
    ...redirects[op.id],
    ...(Object.fromEntries(failures) as Record<string, Ref>),
  }
}

const successText = { json: 'Success', document: 'The document', stream: 'The bytes' } as const

/** GET /v1 is the one endpoint that answers with a redirect (section 4.1). */
const redirects: Readonly<Record<string, Record<string, ResponseObject>>> = {
  'catalogue.show': {
    '302': {
      description: 'With `Accept: text/html`: browsers are redirected to the reference page',
      headers: {
        ...headers,
        Location: { description: 'The reference page', schema: { type: 'string', format: 'uri-reference' } },
      },
    },
  },
}

function successContent(op: Operation, shared: SharedSchemas): Record<string, MediaType> {
  const raw = (op.produces ?? []).map((type) => [type, rawForm(type)])
  return {
    ...(Object.fromEntries(raw) as Record<string, MediaType>),
    ...(op.data && { 'application/json': enveloped(shared.refer(op, op.data), op.example.data as Json | undefined) }),
  }
}

/** Content without an envelope. Bytes have no schema, only a media type (OpenAPI 3.1.0, section 4.8.14.2). */
function rawForm(mediaType: string): MediaType {
  if (mediaType.endsWith('/json')) return { schema: { type: 'object' } }
  return mediaType.startsWith('text/') ? { schema: { type: 'string' } } : {}
}

function enveloped(data: JsonSchema, example: Json | undefined): MediaType {
  return {
    schema: {
      type: 'object',
      properties: { success: { type: 'boolean', const: true }, data, request_id: schemaRef('RequestId') },
      required: ['success', 'data', 'request_id'],
    },
    ...(example !== undefined && { example: { success: true, data: example, request_id: exampleRequestId } }),
  }
}

const errorResponseName = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => pascal(code.replace(/_error$/, ''))).join('Or')

/** Every combination of codes with the same status that an operation has, by name. */
export function errorResponses(operations: readonly Operation[]): Record<string, ResponseObject> {
  const groups = operations.flatMap((op) => byStatus(errorsOf(op)).map(([, codes]) => codes))
  const entries = groups.map((codes) => [errorResponseName(codes), errorResponse(codes)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function errorResponse(codes: readonly ErrorCode[]): ResponseObject {
  const schemas = codes.map((code) => schemaRef(errorSchemaName(code)))
  const [only] = schemas
  const examples = codes.map((code) => [code, { summary: errorCondition(code), value: errorExample(code) }])
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCondition(code)}`).join('\n\n'),
    headers,
    content: {
      'application/json': {
        schema: schemas.length === 1 && only ? only : { oneOf: schemas },
        examples: Object.fromEntries(examples) as NonNullable<MediaType['examples']>,
      },
    },
  }
}
