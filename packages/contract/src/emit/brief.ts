import { errorStatus } from '../errors.js'
import type { Operation } from '../operation.js'
import { byArea, forModels } from './areas.js'
import { accessText } from './catalogue.js'
import { curl } from './curl.js'
import { fieldsOf, type Field, type Json, type JsonSchema } from './json-schema.js'
import { isUnbounded } from './field-list.js'
import { referencePath } from './reference.js'

const errorCodes = Object.entries(errorStatus)
  .map(([code, status]) => `${String(status)} ${code}`)
  .join(', ')

const head = (baseUrl: string, areas: readonly string[]) => `# svc Platform API

JSON over HTTP: public utilities, account, DNS, files and related tools.

Base URL: ${baseUrl}
Auth: header \`Authorization: Bearer <token>\` (\`svc_\` + 32 hex). In brackets below: the access. \`public\`: no token; \`a|b\`: one of these scopes; \`*\` permits all.
Success: HTTP 200 {"success":true,"data":{...},"request_id":"req_..."}. After -> below: the keys of data, in brackets those of the objects in a list.
Error: {"success":false,"error":"<code>","message":"...","request_id":"req_..."}. Codes: ${errorCodes}.
Input: {name} in the path, query in the query string, body as JSON (Content-Type: application/json). Unknown parameters and fields answer 400. ? marks optional fields, = the default.
Another account's resource answers 403. Times are RFC 3339 UTC, sizes bytes, durations seconds.
Complete reference, one file for each area (${areas.join(', ')}): ${baseUrl}${referencePath('<area>')}
`

/** The text of GET /v1/ai, to paste into a prompt: complete, with as few tokens as possible. */
export function brief(operations: readonly Operation[], options: { baseUrl: string }): string {
  const offered = forModels(operations)
  const groups = byArea(offered)
  const areas = groups.map(
    ({ title, operations: members }) => `\n## ${title}\n${members.map((op) => `${endpoint(op)}\n`).join('')}`,
  )
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  const shown = offered.find((op) => op.access !== 'public' && op.body)
  const names = groups.map(({ area }) => area)
  return head(baseUrl, names) + (shown ? `\nExample: ${curl(shown, baseUrl)}\n` : '') + areas.join('')
}

function endpoint(op: Operation): string {
  // The path shows its own parameters.
  const parts = [inputText('query', op.query), inputText('body', op.body), answerText(op)]
  const details = parts.filter(Boolean).join(' ')
  const first = `${op.method} ${op.path} [${accessText(op)}] ${op.summary}`
  return details ? `${first}\n  ${details}` : first
}

function inputText(place: string, schema: object | undefined): string {
  const fields = fieldsOf(schema)
  return fields.length > 0 ? `${place}: ${fields.map((field) => fieldText(field)).join(', ')}` : ''
}

function answerText(op: Operation): string {
  if (op.kind === 'stream') return '-> bytes'
  const keys = fieldsOf(op.data).map(op.method === 'GET' ? listField : ({ name }) => name)
  return keys.length > 0 && op.kind === 'json' ? `-> ${keys.join(', ')}` : ''
}

/** `zones[zone, status]` for a list of objects. Changes answer with the same objects. */
function listField({ name, schema }: Field): string {
  const fields = fieldsOf(schema.items).map((field) => field.name)
  return fields.length > 0 ? `${name}[${fields.join(', ')}]` : name
}

/** @param depth how many objects the field is in */
function fieldText({ name, schema, required }: Field, depth = 0): string {
  const note = schema.description === undefined ? '' : ` (${schema.description})`
  const preset = schema.default === undefined ? '' : `=${JSON.stringify(schema.default)}`
  return `${name}${required ? '' : '?'} ${typeText(schema, depth)}${preset}${note}`
}

function typeText(schema: JsonSchema, depth: number): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(bare).join('|')
  if (schema.anyOf) return schema.anyOf.map((choice) => typeText(choice, depth)).join('|')
  if (schema.items) return `${typeText(schema.items, depth)}[]`
  if (schema.properties)
    return `{${fieldsOf(schema)
      .map((field) => nestedText(field, depth + 1))
      .join(', ')}}`
  // `type` is a list if null is possible.
  return `${[schema.type ?? 'any'].flat().join('|')}${rangeText(schema)}`
}

/** Deeper fields repeat those of single operations, which the brief describes: there, the name is enough. */
const nestedText = (field: Field, depth: number): string =>
  depth > 1 ? `${field.name}${field.required ? '' : '?'}` : fieldText(field, depth)

const bare = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

/** ` 60..2592000`; for strings of limited length ` 1..64 characters`. */
function rangeText({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (maximum !== undefined && !isUnbounded(maximum)) return ` ${String(minimum ?? '')}..${String(maximum)}`
  return maxLength === undefined ? '' : ` ${String(minLength ?? 0)}..${String(maxLength)} characters`
}
