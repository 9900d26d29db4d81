import { openKey } from '../operation.js'
import { integerMax } from '../schema.js'
import { fieldsOf, type Field, type Json, type JsonSchema } from './json-schema.js'

/**
 * The fields of a schema as a Markdown list, nested fields included; empty for a schema without fields.
 * @param name the heading of the list
 * @param isAnswer whether the schema is of an answer: then optional fields are marked, not required ones
 */
export function fieldList(name: string, schema: object | undefined, { isAnswer = false } = {}): string[] {
  const fields = fieldsOf(schema)
  return fields.length > 0 ? [`${name}:\n\n${fields.flatMap((field) => items(field, '', isAnswer)).join('\n')}`] : []
}

/** The line of a field and the lines of its nested fields: `zones`, `zones[].zone`. */
function items({ name, schema, required }: Field, above: string, isAnswer: boolean): string[] {
  const path = `${above}${name}`
  const presence = isAnswer ? (required ? [] : ['optional']) : [required ? 'required' : 'optional']
  return [item(path, schema, presence), ...nestedItems(path, schema, isAnswer)]
}

function item(path: string, schema: JsonSchema, presence: readonly string[]): string {
  const preset = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]
  const facts = [typeText(schema), ...limits(schema), ...presence, ...preset].join(', ')
  const about = schema.description === undefined ? schema[openKey] : `${schema.description}.`
  const pattern = schema.pattern === undefined ? '' : ` Pattern: \`${schema.pattern}\``
  return `- \`${path}\` (${facts})${about === undefined ? '' : `: ${about}`}${pattern}`
}

function nestedItems(path: string, schema: JsonSchema, isAnswer: boolean): string[] {
  if (schema.items) return nestedItems(`${path}[]`, schema.items, isAnswer)
  if (schema.anyOf)
    return schema.anyOf
      .filter((choice) => choice.properties)
      .flatMap((choice) => [item(path, choice, []), ...nestedItems(path, choice, isAnswer)])
  return fieldsOf(schema).flatMap((field) => items(field, `${path}.`, isAnswer))
}

function typeText(schema: JsonSchema): string {
  const { enum: values, anyOf, items: member, additionalProperties: value } = schema
  // `type` is a list if null is possible.
  const types = [schema.type ?? 'any'].flat().join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (values) return `one of ${values.map(code).join(', ')}`
  if (anyOf) return [...new Set(anyOf.map(typeText))].join(' or ')
  if (member) return `${types} of ${typeText(member)}`
  return typeof value === 'object' ? `${types} of ${typeText(value)}` : types
}

const code = (value: Json) => `\`${JSON.stringify(value)}\``

/** Whether a maximum is only the largest integer of JSON, 2^53 - 1. */
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
