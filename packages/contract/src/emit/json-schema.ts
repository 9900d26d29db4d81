import { ruleKey, type additionKey, type openKey } from '../operation.js'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The keywords of JSON Schema 2020-12 that the contract uses, as plain data. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly default?: Json
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly [openKey]?: string
  readonly [additionKey]?: true
  readonly [ruleKey]?: readonly string[]
}

/** Replaces each direct subschema. `step` is its path from the schema, such as `.zones` or `[]`. */
export function mapChildren(schema: JsonSchema, replace: (child: JsonSchema, step: string) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, replace(child, `.${name}`)]),
      ),
    }),
    ...(items && { items: replace(items, '[]') }),
    ...(anyOf && { anyOf: anyOf.map((child) => replace(child, '')) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: replace(additionalProperties, '.*') }),
  }
}

/** Several documents describe each schema. */
const known = new WeakMap<object, JsonSchema>()

/** Standard JSON Schema, without the internal properties of TypeBox and of the server. The schema must not change afterwards. */
export function plainSchema(schema: object): JsonSchema {
  const found = known.get(schema)
  if (found !== undefined) return found
  const plain = normalize(JSON.parse(JSON.stringify(schema)) as JsonSchema)
  known.set(schema, plain)
  return plain
}

/** The pattern of TypeBox for the keys of a record with any keys. */
const anyKey = '^.*$'

/** Rewrites three forms of TypeBox that many code generators and tool callers do not support. */
function normalize(schema: JsonSchema): JsonSchema {
  const { patternProperties, [ruleKey]: _checkedByRule, ...rest } = schema
  const values = patternProperties?.[anyKey]
  return mapChildren(values ? { ...rest, additionalProperties: values } : typedEnum(rest), normalize)
}

/** Adds the type to an enum, and turns a union of constants into an enum. */
function typedEnum(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const type = anyOf?.[0]?.type
  const constants = anyOf?.flatMap((choice) =>
    choice.const !== undefined && choice.type === type ? [choice.const] : [],
  )
  if (type !== undefined && constants?.length === anyOf?.length) return { type, enum: constants ?? [], ...rest }
  return schema.type === undefined && schema.enum?.every((value) => typeof value === 'string')
    ? { type: 'string', ...schema }
    : schema
}

export interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The fields of an object schema, in their order; empty without a schema. */
export function fieldsOf(schema: object | undefined): Field[] {
  const { properties = {}, required = [] } = schema ? plainSchema(schema) : {}
  return Object.entries(properties).map(([name, field]) => ({ name, schema: field, required: required.includes(name) }))
}
