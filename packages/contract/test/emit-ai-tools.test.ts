import { describe, expect, it } from 'vitest'
import { isEventStream, operations, ownTools, placeholders, type Operation } from '../src/index.js'
import { validator } from './emit-check.js'
import { samples } from './emit-samples.js'

const tools = ownTools(operations)

/** Every keyword in a schema, without the names of properties. */
function keywordsIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) => {
    if (keyword === 'properties') return [keyword, ...Object.values(value as object).flatMap(keywordsIn)]
    if (keyword === 'anyOf') return [keyword, ...(value as object[]).flatMap(keywordsIn)]
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value) && keyword !== 'default'
    return isSchema ? [keyword, ...keywordsIn(value)] : [keyword]
  })
}

/** Keywords that OpenAI, Anthropic and MCP accept. */
const portable = [
  ...['type', 'description', 'enum', 'default', 'format', 'pattern', 'anyOf', 'uniqueItems', 'minItems', 'maxItems'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minimum', 'maximum', 'minLength', 'maxLength'],
]

const inputOf = ({ example }: Operation) => ({ ...example.params, ...example.query, ...example.body })

const offered = operations.filter((op) => !isEventStream(op) && op.forPeople !== true)

describe.each(tools.map((tool, index) => [tool.name, tool, offered[index] as Operation] as const))(
  '%s',
  (_, tool, op) => {
    it('has a name and a description within the limits of all three providers', () => {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(tool.description.length).toBeGreaterThan(0)
      expect(tool.description.length).toBeLessThanOrEqual(1024)
    })

    it('has one flat object of parameters, in keywords that all three support', () => {
      expect(tool.parameters).toMatchObject({ type: 'object', additionalProperties: false })
      expect(Object.keys(tool.parameters)).toEqual(['type', 'properties', 'required', 'additionalProperties'])
      expect(keywordsIn(tool.parameters).filter((keyword) => !portable.includes(keyword))).toEqual([])
      const declared = [op.params, op.query, op.body].flatMap((schema) => Object.keys(schema?.properties ?? {}))
      expect(Object.keys(tool.parameters.properties)).toEqual(declared)
      expect(tool.parameters.required).toEqual(expect.arrayContaining(placeholders(tool.path)))
    })

    it('compiles, accepts the example, and rejects an unknown field', () => {
      const check = validator().compile(tool.parameters)
      expect(check(inputOf(op)), JSON.stringify(check.errors)).toBe(true)
      expect(check({ ...inputOf(op), surprise: 1 })).toBe(false)
    })
  },
)

it('every operation is a tool with a unique name, except streams of events and what people set up', () => {
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(offered.length)
  expect(offered.length).toBe(operations.length - 12)
})

it('matches the schema of GET /v1/ai?format=json', () => {
  const data = operations.find((op) => op.id === 'catalogue.ai')?.data
  expect(validator().validate(data as object, { tools })).toBe(true)
  expect(validator().validate(data as object, { tools: [{ name: 'x' }] })).toBe(false)
})

it('flattens path, query and body, without the annotations of the contract', () => {
  expect(ownTools(samples)[1]).toEqual({
    name: 'things_rename',
    description: 'Rename a thing. At once. Access: files:read|files:write.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the thing' },
        name: { type: 'string', maxLength: 8, description: 'The new name' },
        colour: { type: 'string', enum: ['red', 'blue'] },
        kind: { type: 'string', enum: ['plain'] },
      },
      required: ['id', 'name'],
      additionalProperties: false,
    },
    method: 'PATCH',
    path: '/v1/things/{id}',
  })
})
