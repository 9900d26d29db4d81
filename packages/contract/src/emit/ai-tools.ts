import { toolNameOf, type Method, type Operation } from '../operation.js'
import { forModels } from './areas.js'
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

/** A neutral definition of each operation; `tool-forms.ts` converts it to the providers' formats. */
export const aiTools = (operations: readonly Operation[]): ToolDefinition[] =>
  forModels(operations).map((op) => ({
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
 * Path, query and body in one flat object. They have no name in common, so that a caller can separate them again.
 * The top level is a plain object: OpenAI and Anthropic reject oneOf, anyOf and allOf there.
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

/** The JSON Schema keywords that OpenAI, Anthropic and MCP support; not `contentEncoding`, not the annotations of the contract. */
const keywords: ReadonlySet<string> = new Set([
  ...['type', 'description', 'enum', 'default', 'format', 'pattern', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength'],
])

/** Replaces `const` by an enum of one value, which more validators of tool calls support. */
function portable(schema: JsonSchema): JsonSchema {
  const known = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.has(keyword)))
  return mapChildren(schema.const === undefined ? known : { ...known, enum: [schema.const] }, portable)
}
