import type { Tool as AnthropicTool } from '@anthropic-ai/sdk/resources/messages'
import { ListToolsResultSchema, ToolSchema } from '@modelcontextprotocol/core'
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions'
import type { FunctionTool } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { isEventStream, operations, ownTools, toolForms, toolNameOf, toolsFor } from '../src/index.js'
import { validator } from './emit-check.js'
import { sample, samples } from './emit-samples.js'

// The compiler checks these against the types of the providers' SDKs.
const openai: FunctionTool[] = toolsFor('openai', operations)
const chat: ChatCompletionFunctionTool[] = toolsFor('openai-chat', operations)
const anthropic: AnthropicTool[] = toolsFor('anthropic', operations)
const mcp = toolsFor('mcp', operations)

const own = ownTools(operations)
const names = operations.filter((op) => !isEventStream(op) && op.forPeople !== true).map(toolNameOf)

const parameters = {
  type: 'object',
  properties: { id: { type: 'string', description: 'Id of the thing' } },
  required: ['id'],
  additionalProperties: false,
}
const download = { name: 'things_download', description: 'Download a thing. Access: any token.' }

describe('OpenAI', () => {
  it('gets the flat format of the Responses API', () => {
    expect(toolsFor('openai', [sample.download])).toEqual([
      { type: 'function', ...download, parameters, strict: false },
    ])
    expect(openai.map(({ name }) => name)).toEqual(names)
  })

  it('gets the nested format of Chat Completions', () => {
    expect(toolsFor('openai-chat', [sample.download])).toEqual([
      { type: 'function', function: { ...download, parameters, strict: false } },
    ])
    expect(chat.map((tool) => tool.function.name)).toEqual(names)
  })

  it('gets strict: false, because most tools have optional fields, which strict mode does not support', () => {
    expect([...openai, ...chat.map((tool) => tool.function)].filter(({ strict }) => strict !== false)).toEqual([])
    const isStrictForm = (tool: (typeof own)[number]) =>
      tool.parameters.required.length === Object.keys(tool.parameters.properties).length
    expect(own.filter((tool) => !isStrictForm(tool)).length).toBeGreaterThan(0)
  })
})

it('Anthropic gets an object as input_schema', () => {
  expect(toolsFor('anthropic', [sample.download])).toEqual([{ ...download, input_schema: parameters }])
  expect(anthropic.map(({ name, input_schema: { type } }) => [name, type])).toEqual(
    names.map((name) => [name, 'object']),
  )
})

describe('MCP', () => {
  it("gets a tools/list result that is valid against the SDK's schema, without unknown fields", () => {
    expect(ListToolsResultSchema.parse({ tools: mcp })).toEqual({ tools: mcp })
    expect(ToolSchema.safeParse(own[0]).success).toBe(false)
  })

  it('gets readOnlyHint for reads and destructiveHint for writes', () => {
    const title = (op: { summary: string }) => op.summary
    expect(toolsFor('mcp', samples).map(({ annotations }) => annotations)).toEqual([
      { title: title(sample.list), readOnlyHint: true },
      { title: title(sample.rename), readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      { title: title(sample.download), readOnlyHint: true },
    ])
    const byName = new Map(mcp.map((tool) => [tool.name, tool]))
    expect(byName.get('dns_record_delete')).toMatchObject({
      title: 'Delete a record',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    })
  })
})

it.each(toolForms)(
  'the format for %s matches the schema of GET /v1/ai, with the parameters of the neutral format',
  (form) => {
    const data = operations.find((op) => op.id === 'catalogue.ai')?.data as object
    const tools = toolsFor(form, operations)
    const ajv = validator()
    expect(ajv.validate(data, { tools }), ajv.errorsText()).toBe(true)
    for (const [index, tool] of tools.entries())
      expect(JSON.stringify(tool)).toContain(JSON.stringify(own[index]?.parameters))
  },
)
