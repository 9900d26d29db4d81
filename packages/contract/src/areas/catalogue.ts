import { Type } from 'typebox'
import { open, operation } from '../operation.js'

/** The contract describing itself (specification, section 4.1). */

const Format = Type.Object({
  format: Type.Optional(Type.Literal('json', { description: '`json` asks for the machine-readable form' })),
})

/** Who takes tool definitions in which form: OpenAI has one for its Responses API and one for Chat Completions. */
export const toolForms = ['openai', 'openai-chat', 'anthropic', 'mcp'] as const
export type ToolForm = (typeof toolForms)[number]

const Entry = Type.Object({
  id: Type.String({ description: 'Stable id of the operation' }),
  method: Type.String(),
  path: Type.String(),
  access: Type.String({ description: '`public`, `any token`, or the scopes that are accepted, joined by `|`' }),
  summary: Type.String(),
})

const name = Type.String({ description: 'At most 64 of [a-zA-Z0-9_-]: the `operationId` of the OpenAPI document' })
const description = Type.String()
const parameters = Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'JSON Schema' })
const strict = Type.Literal(false, { description: 'Optional fields stay optional' })
const functionType = Type.Literal('function')

const OwnTool = Type.Object(
  { name, description, parameters, method: Type.String(), path: Type.String() },
  { description: 'Without `for`: the definition with the method and path of its endpoint' },
)

const ResponsesTool = Type.Object(
  { type: functionType, name, description, parameters, strict },
  { description: '`for=openai`: `tools` of the OpenAI Responses API' },
)

const ChatTool = Type.Object(
  { type: functionType, function: Type.Object({ name, description, parameters, strict }) },
  {
    description: '`for=openai-chat`: `tools` of OpenAI Chat Completions and of the servers that are compatible with it',
  },
)

const AnthropicTool = Type.Object(
  { name, description, input_schema: parameters },
  { description: '`for=anthropic`: `tools` of the Anthropic Messages API' },
)

const McpTool = Type.Object(
  {
    name,
    title: Type.String(),
    description,
    inputSchema: parameters,
    annotations: Type.Object(
      {
        title: Type.String(),
        readOnlyHint: Type.Boolean(),
        destructiveHint: Type.Optional(Type.Boolean()),
        idempotentHint: Type.Optional(Type.Boolean()),
      },
      { description: 'Told from the HTTP method: every write counts as one that may destroy' },
    ),
  },
  { description: '`for=mcp`: `tools` of an answer to `tools/list` of the Model Context Protocol' },
)

const AiQuery = Type.Object({
  ...Format.properties,
  for: Type.Optional(
    Type.Enum(
      [...toolForms],
      open('Which forms of tool definitions there are is not shown: those that the providers take as they are.', {
        description:
          'Tool definitions for `openai` (Responses API), `openai-chat` (Chat Completions), `anthropic` or `mcp`; implies `format=json`',
      }),
    ),
  ),
})

export const show = operation({
  id: 'catalogue.show',
  method: 'GET',
  path: '/v1',
  access: 'public',
  summary: 'List every endpoint',
  description:
    'The endpoint catalogue as JSON with `format=json` or `Accept: application/json`; browsers are redirected to the reference page.',
  open: 'An Accept header that names neither JSON nor HTML gets the catalogue.',
  query: Format,
  data: Type.Object({
    version: Type.String(open('What the catalogue says of the API itself is not shown.')),
    documentation: Type.String(open('Where the reference page is, is not shown.')),
    openapi: Type.String(open('What the catalogue says of the API itself is not shown.')),
    endpoints: Type.Array(Entry, open('The form of a catalogue entry is not shown.')),
  }),
  example: {
    query: { format: 'json' },
    data: {
      version: '2.0.0',
      documentation: 'http://localhost:8080/reference',
      openapi: 'http://localhost:8080/v1/openapi.json',
      endpoints: [
        { id: 'public.hash', method: 'GET', path: '/v1/public/hash', access: 'public', summary: 'Hash a string' },
      ],
    },
  },
})

export const ai = operation({
  id: 'catalogue.ai',
  method: 'GET',
  path: '/v1/ai',
  access: 'public',
  kind: 'document',
  summary: 'Get a brief for an AI prompt, or tool definitions',
  description:
    'Plain text to paste into a prompt. With `format=json` the same endpoints as tool definitions, in the envelope; with `for` in the form that a provider takes as it is. For OpenAI they are not strict: strict mode wants every field in `required` and null for one that is left out, and null is not absent here (400).',
  query: AiQuery,
  data: Type.Object({
    tools: Type.Array(
      Type.Union([OwnTool, ResponsesTool, ChatTool, AnthropicTool, McpTool]),
      open('The form of a tool definition is not shown: our own, or with `for` the one of a provider.'),
    ),
  }),
  produces: ['text/plain'],
  open: 'The text carries no envelope: it is a document.',
  example: {
    query: { format: 'json' },
    data: {
      tools: [
        {
          name: 'public_hash',
          description: 'Hash a string.',
          parameters: {
            type: 'object',
            properties: { value: { type: 'string' } },
            required: ['value'],
            additionalProperties: false,
          },
          method: 'GET',
          path: '/v1/public/hash',
        },
      ],
    },
  },
})

export const openapi = operation({
  id: 'catalogue.openapi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'public',
  kind: 'document',
  summary: 'Get the OpenAPI 3.1 contract',
  produces: ['application/json'],
  open: 'Carries no envelope: tools must be able to load it.',
  example: {},
})

export const llms = operation({
  id: 'catalogue.llms',
  method: 'GET',
  path: '/llms.txt',
  access: 'public',
  kind: 'document',
  summary: 'Get the map for crawlers and language models',
  produces: ['text/plain'],
  open: 'Carries no envelope: the llms.txt form is plain Markdown.',
  example: {},
})
