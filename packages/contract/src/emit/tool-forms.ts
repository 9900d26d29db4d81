import type { ToolForm } from '../areas/catalogue.js'
import type { Operation } from '../operation.js'
import { aiTools, type ToolDefinition } from './ai-tools.js'

/** Tool definitions in the formats of GET /v1/ai?for=…; a test checks them with the SDKs of the providers. */

/** `tools` of GET /v1/ai?format=json. */
export const ownTools = (operations: readonly Operation[]) => aiTools(operations).map(own)

const own = ({ name, description, parameters, method, path }: ToolDefinition) => ({
  name,
  description,
  parameters,
  method,
  path,
})

/**
 * Sets `strict` to false explicitly: by default, the Responses API is strict and makes optional fields mandatory (OpenAI,
 * guide to function calling). In strict mode the model sends null for a missing field, which this API rejects.
 */
const openAiFunction = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  parameters,
  strict: false as const,
})

const responses = (tool: ToolDefinition) => ({ type: 'function' as const, ...openAiFunction(tool) })

const chatCompletions = (tool: ToolDefinition) => ({ type: 'function' as const, function: openAiFunction(tool) })

const anthropic = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  input_schema: parameters,
})

const mcp = ({ name, title, description, parameters, method }: ToolDefinition) => ({
  name,
  title,
  description,
  inputSchema: parameters,
  annotations: { title, ...hints(method) },
})

/**
 * Hints from the method (RFC 9110, 9.2.1 and 9.2.2). A write may overwrite data, so all writes are destructive and the MCP
 * client asks the user first. `destructiveHint` and `idempotentHint` are for writes only.
 */
const hints = (method: ToolDefinition['method']) =>
  method === 'GET'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: method === 'DELETE' }

const forms = { openai: responses, 'openai-chat': chatCompletions, anthropic, mcp } as const satisfies Readonly<
  Record<ToolForm, (tool: ToolDefinition) => object>
>

/** `tools` of GET /v1/ai?for=…, as the provider's API accepts them. */
export const toolsFor = <F extends ToolForm>(
  form: F,
  operations: readonly Operation[],
): ReturnType<(typeof forms)[F]>[] =>
  aiTools(operations).map((tool) => forms[form](tool) as ReturnType<(typeof forms)[F]>)
