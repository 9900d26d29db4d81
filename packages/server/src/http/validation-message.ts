import type { ErrorObject } from 'ajv'
import { ApiError, badRequest } from '@svc/contract/errors'
import { quoted, shortened } from '../shared/quoted.js'

/** The format of fields whose values are secrets (OpenAPI 3.1, section 4.7): messages do not show them, because they may be logged. */
export const secretFormat = 'password'

/** 400 for an error of the validator: the field, the problem, and the accepted values. */
export function refusalOf(error: ErrorObject, where: 'path' | 'query' | 'body'): ApiError {
  const { keyword, params } = error
  const { missingProperty, additionalProperty } = params as Record<string, unknown>
  const path = fieldOf(error)
  if (keyword === 'required') return badRequest(join(path, String(missingProperty)), 'is required')
  if (keyword === 'additionalProperties')
    return badRequest(join(path, String(additionalProperty)), unknownField(error, where))
  const problem = problemOf(error, where)
  return path === '' ? new ApiError('bad_request', `The ${where} ${problem}.`) : badRequest(path, problem)
}

/** Follows the name of the field. */
function problemOf(error: ErrorObject, where: string): string {
  const params = error.params as Record<string, unknown>
  if (where === 'query' && Array.isArray(error.data)) return `may be given only once, not ${error.data.length} times`
  const given = isSecret(error) ? '' : `, not ${shown(error.data)}`
  if (error.keyword === 'minLength' && params['limit'] === 1) return 'must not be empty'
  switch (error.keyword) {
    case 'type':
      return `must be ${aTypes(params['type'])}${inDigits(error, where)}${given}`
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}${given}`
    case 'const':
      return `must be ${shown(params['allowedValue'])}${given}`
    case 'minItems':
    case 'maxItems':
      return `${limits(error)}, not ${(error.data as unknown[]).length}`
    case 'minProperties':
    case 'maxProperties':
      return `must have exactly one of ${fieldNames(error)}, not ${Object.keys(error.data as object).join(', ') || 'none'}`
    default:
      return `${limits(error)}${given}`
  }
}

/** The fields of an object that has one of several. */
const fieldNames = ({ parentSchema }: ErrorObject): string =>
  Object.keys((parentSchema?.['properties'] ?? {}) as object).join(', ')

const items = (limit: string) => (limit === '1' ? '1 item' : `${limit} items`)

const isSecret = ({ parentSchema }: ErrorObject): boolean => parentSchema?.['format'] === secretFormat

function limits({ keyword, params, parentSchema, message }: ErrorObject): string {
  const limit = String((params as Record<string, unknown>)['limit'])
  switch (keyword) {
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${items(limit)}`
    case 'maxItems':
      return `must have at most ${items(limit)}`
    case 'uniqueItems':
      return 'must not contain duplicates'
    case 'pattern':
      return `must match ${String((params as Record<string, unknown>)['pattern'])}${described(parentSchema)}`
    default:
      return message ?? 'is not valid'
  }
}

/** The schema's description of the accepted values, because a pattern alone is hard to read. */
function described(schema: ErrorObject['parentSchema']): string {
  const description: unknown = schema?.['description']
  return typeof description === 'string' ? ` (${description})` : ''
}

/** `/scopes/0` as `scopes[0]`. */
function fieldOf({ instancePath }: ErrorObject): string {
  return instancePath
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : join(path, step)), '')
}

const join = (path: string, step: string) => (path === '' ? shortened(step) : `${path}.${shortened(step)}`)

function unknownField({ parentSchema }: ErrorObject, where: string): string {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object)
  return `is not known in this ${where}: it takes ${known.length > 0 ? known.join(', ') : 'no fields'}`
}

/** Queries are text: `0x10` and `1e3` are numbers elsewhere. */
const inDigits = ({ params }: ErrorObject, where: string): string =>
  where === 'query' && params['type'] === 'integer' ? ' in decimal digits' : ''

const list = (values: unknown) => (values as unknown[]).map(shown).join(', ')

const aTypes = (types: unknown) =>
  (Array.isArray(types) ? types : [types]).map((type) => articles[String(type)] ?? String(type)).join(' or ')

const articles: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

/** The caller's value, short enough to be read. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number out of range'
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}
