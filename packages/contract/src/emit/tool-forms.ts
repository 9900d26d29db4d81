import type { ToolForm } from '../areas/catalogue.js'
import type { Operation } from '../operation.js'
import { aiTools, type ToolDefinition } from './ai-tools.js'

/** The definitions in the forms of GET /v1/ai?for=…, held to the SDKs of the providers by a test. */

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
 * Not strict, and said so: without `strict` the Responses API takes a definition for a strict one and makes its optional
 * fields mandatory (OpenAI, guide to function calling). In strict mode the model has to send null for what it leaves out,
 * which this API refuses.
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
 * What RFC 9110 (9.2.1, 9.2.2) says of the method. A write may overwrite, so each is called destructive: a client asks
 * before it. The other two hints mean something for writes only.
 */
const hints = (method: ToolDefinition['method']) =>
  method === 'GET'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: method === 'DELETE' }

const forms = {
  openai: responses,
  'openai-chat': chatCompletions,
  anthropic,
  mcp,
} as const satisfies Readonly<Record<ToolForm, (tool: ToolDefinition) => object>>

/** `tools` of GET /v1/ai?for=…: what the provider's API takes as `tools`. */
export const toolsFor = <F extends ToolForm>(
  form: F,
  operations: readonly Operation[],
): ReturnType<(typeof forms)[F]>[] =>
  aiTools(operations).map((tool) => forms[form](tool) as ReturnType<(typeof forms)[F]>)
