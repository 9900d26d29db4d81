import { additionKey, areaOf, openKey, requiredScopes, toolNameOf, type Operation } from '../../operation.js'
import { fieldsOf, type Field, type Json } from '../json-schema.js'
import { requiredScopesText } from './errors.js'
import { bodyContent, fieldsBesideBytes } from './request-body.js'
import { responsesOf } from './responses.js'
import type { SharedSchemas } from './shared-schemas.js'
import type { OperationObject, Parameter, SecurityRequirement } from './types.js'

export const bearer = 'bearer'

export function operationObject(op: Operation, shared: SharedSchemas): OperationObject {
  const parameters = [...parametersIn('path', op), ...parametersIn('query', op), ...parametersBesideBytes(op)]
  return {
    operationId: toolNameOf(op),
    tags: [areaOf(op)],
    summary: op.summary,
    description: describe(op),
    security: securityOf(op),
    ...(op.access !== 'public' && { 'x-required-scopes': requiredScopes(op) }),
    ...(op.open !== undefined && { [openKey]: op.open }),
    ...(op.addition && { [additionKey]: op.addition }),
    ...(parameters.length > 0 && { parameters }),
    ...(op.body && { requestBody: { required: true, content: bodyContent(op, op.body, shared) } }),
    responses: responsesOf(op, shared),
  }
}

/**
 * One requirement for each accepted scope: separate requirements are alternatives, the scopes within one are all needed
 * (OpenAPI 3.1.0, section 4.8.30; http schemes may list roles).
 */
function securityOf(op: Operation): SecurityRequirement[] {
  if (op.access === 'public') return []
  return op.access === 'token' ? [{ [bearer]: [] }] : requiredScopes(op).map((scope) => ({ [bearer]: [scope] }))
}

function parametersIn(place: 'path' | 'query', op: Operation): Parameter[] {
  const part = place === 'path' ? 'params' : 'query'
  return fieldsOf(op[part]).map((field) => parameter(place, field, op.example[part]?.[field.name] as Json | undefined))
}

/** OpenAPI has parameters for all media types of a body, so those for one of them are optional and say so. */
function parametersBesideBytes(op: Operation): Parameter[] {
  const { fields, types } = fieldsBesideBytes(op)
  return fields.map((field) => {
    const { description, ...rest } = parameter('query', { ...field, required: false }, undefined)
    const needed = field.required ? 'required there' : 'optional there'
    return { ...rest, description: `${description ?? field.name}. Only with ${types.join(' or ')}; ${needed}` }
  })
}

function parameter(place: 'path' | 'query', { name, schema, required }: Field, example: Json | undefined): Parameter {
  const { description, ...rest } = schema
  return {
    name,
    in: place,
    required: place === 'path' || required,
    ...(description !== undefined && { description }),
    ...(schema[openKey] !== undefined && { [openKey]: schema[openKey] }),
    ...(schema[additionKey] && { [additionKey]: schema[additionKey] }),
    schema: rest,
    ...(example !== undefined && { example }),
  }
}

/** A media type of OpenAPI has no description, so the description of the operation names the other bodies. */
function describe(op: Operation): string {
  const otherBodies = Object.entries(op.otherBodies ?? {}).map(([type, why]) => `\`${type}\` is accepted as well. ${why}`)
  return [op.description, ...otherBodies, requiredScopesText(op)].filter(Boolean).join('\n\n')
}
