import { openKey } from '../operation.js'
import { integerMax } from '../schema.js'
import { fieldsOf, type Field, type Json, type JsonSchema } from './json-schema.js'

/**
 * The fields of a schema as a Markdown list, those inside others included; empty where there are none.
 * @param name what the list is headed by
 * @param isAnswer whether the fields are answered: there they are always present unless said otherwise
 */
export function fieldList(name: string, schema: object | undefined, { isAnswer = false } = {}): string[] {
  const fields = fieldsOf(schema)
  return fields.length > 0 ? [`${name}:\n\n${fields.flatMap((field) => items(field, '', isAnswer)).join('\n')}`] : []
}

/** The line of a field and those of the fields inside it: `zones`, `zones[].zone`. */
function items({ name, schema, required }: Field, above: string, isAnswer: boolean): string[] {
  const path = `${above}${name}`
  const presence = isAnswer ? (required ? [] : ['may be missing']) : [required ? 'required' : 'optional']
  return [item(path, schema, presence), ...inside(path, schema, isAnswer)]
}

function item(path: string, schema: JsonSchema, presence: readonly string[]): string {
  const preset = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]
  const facts = [typeText(schema), ...limits(schema), ...presence, ...preset].join(', ')
  const about = schema.description === undefined ? schema[openKey] : `${schema.description}.`
  const pattern = schema.pattern === undefined ? '' : ` Pattern: \`${schema.pattern}\``
  return `- \`${path}\` (${facts})${about === undefined ? '' : `: ${about}`}${pattern}`
}

function inside(path: string, schema: JsonSchema, isAnswer: boolean): string[] {
  if (schema.items) return inside(`${path}[]`, schema.items, isAnswer)
  if (schema.anyOf)
    return schema.anyOf
      .filter((choice) => choice.properties)
      .flatMap((choice) => [item(path, choice, []), ...inside(path, choice, isAnswer)])
  return fieldsOf(schema).flatMap((field) => items(field, `${path}.`, isAnswer))
}

function typeText(schema: JsonSchema): string {
  const { enum: values, anyOf, items: member, additionalProperties: value } = schema
  // `type` is a list where null is possible.
  const types = [schema.type ?? 'any'].flat().join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (values) return `one of ${values.map(code).join(', ')}`
  if (anyOf) return [...new Set(anyOf.map(typeText))].join(' or ')
  if (member) return `${types} of ${typeText(member)}`
  return typeof value === 'object' ? `${types} of ${typeText(value)}` : types
}

const code = (value: Json) => `\`${JSON.stringify(value)}\``

/** Whether a maximum says no more than that JSON carries integers to 2^53 - 1. */
export const isUnbounded = (maximum: number): boolean => maximum === integerMax

function limits({ minimum, maximum, minLength, maxLength, minItems, maxItems, format }: JsonSchema): string[] {
  const most = maximum === undefined || isUnbounded(maximum) ? undefined : maximum
  return [
    ...range(minimum, most, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(format === undefined ? [] : [format]),
  ]
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (high !== undefined)
    return [low === undefined ? `at most ${String(high)}${unit}` : `${String(low)} to ${String(high)}${unit}`]
  return low === undefined ? [] : [`at least ${String(low)}${unit}`]
}
