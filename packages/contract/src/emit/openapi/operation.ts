import { areaOf, openKey, requiredScopes, toolNameOf, type Operation } from '../../operation.js'
import { fieldsOf, type Field, type Json } from '../json-schema.js'
import { requiredScopesText } from './errors.js'
import { rawForm, responsesOf } from './responses.js'
import type { SharedSchemas } from './shared-schemas.js'
import type { MediaType, OperationObject, Parameter, SecurityRequirement } from './types.js'

export const bearer = 'bearer'

export function operationObject(op: Operation, shared: SharedSchemas): OperationObject {
  const parameters = [...parametersIn('path', op), ...parametersIn('query', op)]
  return {
    operationId: toolNameOf(op),
    tags: [areaOf(op)],
    summary: op.summary,
    description: describe(op),
    security: securityOf(op),
    ...(op.access !== 'public' && { 'x-required-scopes': requiredScopes(op) }),
    ...(op.open !== undefined && { [openKey]: op.open }),
    ...(parameters.length > 0 && { parameters }),
    ...(op.body && { requestBody: { required: true, content: bodyContent(op, op.body, shared) } }),
    responses: responsesOf(op, shared),
  }
}

/**
 * One requirement for each accepted scope: what one requirement lists is needed together, separate ones are
 * alternatives (OpenAPI 3.1.0, section 4.8.30, which also lets http schemes list roles).
 */
function securityOf(op: Operation): SecurityRequirement[] {
  if (op.access === 'public') return []
  return op.access === 'token' ? [{ [bearer]: [] }] : requiredScopes(op).map((scope) => ({ [bearer]: [scope] }))
}

function parametersIn(place: 'path' | 'query', op: Operation): Parameter[] {
  const part = place === 'path' ? 'params' : 'query'
  return fieldsOf(op[part]).map((field) => parameter(place, field, op.example[part]?.[field.name] as Json | undefined))
}

function parameter(place: 'path' | 'query', { name, schema, required }: Field, example: Json | undefined): Parameter {
  const { description, ...rest } = schema
  return {
    name,
    in: place,
    required: place === 'path' || required,
    ...(description !== undefined && { description }),
    ...(schema[openKey] !== undefined && { [openKey]: schema[openKey] }),
    schema: rest,
    ...(example !== undefined && { example }),
  }
}

function bodyContent(op: Operation, body: object, shared: SharedSchemas): Record<string, MediaType> {
  const example = op.example.body as Json | undefined
  // Section 4 knows JSON bodies only, so every other form is an open detail.
  const others = Object.entries(op.otherBodies ?? {}).map(([type, why]) => [type, { ...rawForm(type), [openKey]: why }])
  return {
    'application/json': { schema: shared.refer(body), ...(example !== undefined && { example }) },
    ...(Object.fromEntries(others) as Record<string, MediaType>),
  }
}

/** A media type has no place for a description, so the other forms of the body are described here. */
function describe(op: Operation): string {
  const otherBodies = Object.entries(op.otherBodies ?? {}).map(([type, why]) => `The body may come as \`${type}\` too. ${why}`)
  return [op.description, ...otherBodies, requiredScopesText(op)].filter(Boolean).join('\n\n')
}
