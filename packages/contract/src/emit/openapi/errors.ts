import { errorStatus, openErrorCodes, type ErrorCode } from '../../errors.js'
import { added, openKey, requiredScopes, type Operation } from '../../operation.js'
import { allScopes, scopes } from '../../scopes.js'
import { groupBy } from '../../group-by.js'
import type { Json, JsonSchema } from '../json-schema.js'
import { pascal, schemaRef } from './names.js'

interface ErrorText {
  /** The condition of section 7. */
  readonly condition: string
  readonly message: string
  readonly extra?: Readonly<Record<string, Json>>
}

const texts: Readonly<Record<ErrorCode, ErrorText>> = {
  bad_request: {
    condition: 'A required field is missing, the body is malformed, or an input is invalid.',
    message: 'ttl must be at least 60, not 5.',
    extra: { field: 'ttl', problem: 'must be at least 60, not 5.' },
  },
  unauthorized: {
    condition: 'The Bearer token is missing, invalid or revoked.',
    message: 'Send a valid token as Authorization: Bearer <token>.',
  },
  forbidden: {
    condition: 'The resource belongs to another account.',
    message: 'This belongs to another account.',
  },
  forbidden_scope: {
    condition: 'The token lacks the required scope.',
    message: 'The token lacks the required scope.',
    extra: { required_scopes: ['dns:write'], token_scopes: ['dns:read'] },
  },
  forbidden_zone: {
    condition: 'The zone is not verified for this account, or it does not exist.',
    message: 'There is no verified claim of this account on example.com.',
    extra: { zone: 'example.com' },
  },
  not_found: {
    condition: 'The resource does not exist.',
    message: 'There is no such resource.',
  },
  method_not_allowed: {
    condition: 'The endpoint does not support the method.',
    message: 'This endpoint answers GET and POST.',
  },
  internal_error: {
    condition: 'The server failed; its log has the error under the same request_id.',
    message: 'The server failed. Its log has the error under this request_id.',
  },
  upstream_error: {
    condition: 'A service that the platform depends on failed.',
    message: 'The DNS provider returned an error.',
  },
}

export const exampleRequestId = 'req_0123456789abcdef'

export const errorCondition = (code: ErrorCode): string => texts[code].condition

/** `NotFoundError`; `UpstreamError`, not `UpstreamErrorError`. */
export const errorSchemaName = (code: ErrorCode): string => `${pascal(code.replace(/_error$/, ''))}Error`

const scopeList = (description: string, values: readonly string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'string', enum: values },
  description,
})

const zone: JsonSchema = { type: 'string', description: 'The zone that the error refers to' }

/** The additional fields of the envelope, by error code (section 2.1). */
const extraKeys: Partial<Record<ErrorCode, Readonly<Record<string, JsonSchema>>>> = {
  bad_request: {
    field: added({
      type: 'string',
      description: 'The input that the error is about, if it is one field: `ttl`, or the path of a part, `scopes[1]`',
    } as const),
    problem: added({
      type: 'string',
      description: 'The message without the name of the field, or the whole message if it is a sentence without it',
    } as const),
  },
  forbidden_zone: { zone },
  upstream_error: { zone },
  forbidden_scope: {
    required_scopes: scopeList('The accepted scopes', scopes),
    token_scopes: scopeList('The scopes of the token', [...scopes, allScopes]),
  },
}

/** In section 2.1, only some zone errors have `zone`. An error about no single field has no `field`. Every forbidden_scope has the two lists. */
const alwaysThere = (code: ErrorCode) => (code === 'forbidden_scope' ? ['required_scopes', 'token_scopes'] : [])

export function errorSchema(code: ErrorCode): JsonSchema {
  const why = openErrorCodes[code]
  return {
    type: 'object',
    description: texts[code].condition,
    ...(why !== undefined && { [openKey]: why }),
    properties: {
      success: { type: 'boolean', const: false },
      error: { type: 'string', const: code, description: 'Machine-readable code' },
      message: { type: 'string', description: 'Human-readable text' },
      request_id: schemaRef('RequestId'),
      ...extraKeys[code],
    },
    required: ['success', 'error', 'message', 'request_id', ...alwaysThere(code)],
  }
}

export const errorExample = (code: ErrorCode): Json => ({
  success: false,
  error: code,
  message: texts[code].message,
  request_id: exampleRequestId,
  ...texts[code].extra,
})

/** Groups error codes by HTTP status, lowest first. */
export function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  return [...groupBy(codes, (code) => errorStatus[code])].sort(([a], [b]) => a - b)
}

export const requiredScopesText = (op: Operation): string => {
  if (op.access === 'public') return 'Needs no token.'
  if (op.access === 'token') return 'Takes any valid token, with any scopes.'
  const accepted = requiredScopes(op).map((scope) => `\`${scope}\``)
  return `Takes a token with ${accepted.join(' or ')}; \`*\` is accepted too.`
}
