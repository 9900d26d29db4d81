import { Type } from 'typebox'
import { open, operation } from '../operation.js'

/** The contract describing itself (specification, section 4.1). */

const Format = Type.Object({
  format: Type.Optional(Type.Literal('json', { description: '`json` for the machine-readable form' })),
})

/** The providers whose formats of tool definitions are available. OpenAI has two: the Responses API and Chat Completions. */
export const toolForms = ['openai', 'openai-chat', 'anthropic', 'mcp'] as const
export type ToolForm = (typeof toolForms)[number]

const Entry = Type.Object({
  id: Type.String({ description: 'Stable id of the operation' }),
  method: Type.String(),
  path: Type.String(),
  access: Type.String({ description: '`public`, `any token`, or the accepted scopes, joined by `|`' }),
  summary: Type.String(),
})

const name = Type.String({
  description: 'The `operationId` of the OpenAPI document: at most 64 characters of [a-zA-Z0-9_-]',
})
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
  { description: '`for=openai-chat`: `tools` of OpenAI Chat Completions and of compatible servers' },
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
      { description: 'Derived from the HTTP method: every write is marked as destructive' },
    ),
  },
  { description: '`for=mcp`: `tools` of the answer to `tools/list` of the Model Context Protocol' },
)

const AiQuery = Type.Object({
  ...Format.properties,
  for: Type.Optional(
    Type.Enum(
      [...toolForms],
      open('The formats of tool definitions are not shown: those that the providers accept unchanged.', {
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
  open: 'An Accept header without JSON and HTML gets the catalogue.',
  query: Format,
  data: Type.Object({
    version: Type.String(open('The fields of the catalogue about the API itself are not shown.')),
    server_version: Type.String(
      open('The catalogue is not shown to name the software: the version of svc, beside that of the API.'),
    ),
    documentation: Type.String(open('The address of the reference page is not shown.')),
    openapi: Type.String(open('The fields of the catalogue about the API itself are not shown.')),
    endpoints: Type.Array(Entry, open('The form of a catalogue entry is not shown.')),
  }),
  example: {
    query: { format: 'json' },
    data: {
      version: '2.0.0',
      server_version: '1.0.0',
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
    'Plain text to paste into a prompt. With a token, it has only what that token may call. With `format=json`, the same endpoints as tool definitions, in the envelope; with `for`, in the format of a provider. The OpenAI formats have `strict: false`: strict mode requires every field and sends null for a missing one, and this API answers null with 400.',
  query: AiQuery,
  data: Type.Object({
    tools: Type.Array(
      Type.Union([OwnTool, ResponsesTool, ChatTool, AnthropicTool, McpTool]),
      open('The format of a tool definition is not shown: a neutral one, or with `for` the one of a provider.'),
    ),
  }),
  produces: ['text/plain'],
  open: 'The text has no envelope: it is a document.',
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
  open: 'It has no envelope, so that tools can load it.',
  example: {},
})

export const llms = operation({
  id: 'catalogue.llms',
  method: 'GET',
  path: '/llms.txt',
  access: 'public',
  kind: 'document',
  summary: 'Get the map of the API for crawlers and language models',
  produces: ['text/plain'],
  open: 'It has no envelope: llms.txt is plain Markdown.',
  example: {},
})
