import { toolNameOf, type Method, type Operation } from '../operation.js'
import { accessText } from './catalogue.js'
import { fieldsOf, mapChildren, type JsonSchema } from './json-schema.js'

/** The parameters of a tool: one flat object schema. */
export interface ToolParameters {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: string[]
  readonly additionalProperties: false
  readonly [keyword: string]: unknown
}

export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: ToolParameters
  readonly method: Method
  readonly path: string
}

/** A definition for each operation, in no provider's form: `tool-forms.ts` writes those. */
export const aiTools = (operations: readonly Operation[]): ToolDefinition[] =>
  operations.map((op) => ({
    name: toolNameOf(op),
    title: op.summary,
    description: describe(op),
    parameters: parametersOf(op),
    method: op.method,
    path: op.path,
  }))

function describe(op: Operation): string {
  const sentences = [
    `${op.summary}.`,
    op.description,
    op.access === 'public' ? undefined : `Access: ${accessText(op)}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/**
 * Path, query and body in one flat object; they have no name in common, so a caller can sort them out again.
 * The top level is a plain object: OpenAI and Anthropic both refuse oneOf, anyOf and allOf there.
 */
function parametersOf(op: Operation): ToolParameters {
  const fields = [op.params, op.query, op.body].flatMap(fieldsOf)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, portable(schema)])),
    required: fields.filter((field) => field.required).map((field) => field.name),
    additionalProperties: false,
  }
}

/** The keywords of JSON Schema that all three know. `contentEncoding` and annotations of our own are not among them. */
const keywords: ReadonlySet<string> = new Set([
  ...['type', 'description', 'enum', 'default', 'format', 'pattern', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength'],
])

/** `const` becomes an enum of one, which validators of tool calls know more widely. */
function portable(schema: JsonSchema): JsonSchema {
  const known = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.has(keyword)))
  return mapChildren(schema.const === undefined ? known : { ...known, enum: [schema.const] }, portable)
}
