import {
  apiVersion,
  brief,
  catalogue,
  llmsTxt,
  openapi,
  ownTools,
  toolForms,
  toolsFor,
  type Areas,
  type Operation,
  type ToolForm,
} from '@svc/contract'
import { Document, RawJson, Redirect } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { prefersPage } from '../../shared/accepts.js'
import { version } from '../../shared/version.js'

interface CatalogueDependencies {
  /** The operations of this server, in the order of the catalogue. */
  readonly operations: readonly Operation[]
  /** The server's public address. */
  readonly baseUrl: string
  /** The path of the reference page. */
  readonly referencePath: string
}

/** The contract's descriptions of itself. The documents are built once, by this call. */
export function catalogueHandlers({
  operations,
  baseUrl,
  referencePath,
}: CatalogueDependencies): Handlers<Areas['catalogue']> {
  const endpoints = catalogue(operations)
  const tools = toolDefinitions(operations)
  const documents = {
    ai: new Document(brief(operations, { baseUrl }), 'text/plain; charset=utf-8'),
    openapi: new Document(
      JSON.stringify(openapi(operations, { serverUrl: baseUrl })),
      'application/json; charset=utf-8',
    ),
    llms: new Document(llmsTxt(operations, { baseUrl }), 'text/plain; charset=utf-8'),
  }
  return {
    show: ({ query }, { header }) =>
      query.format === undefined && prefersPage(header('accept'))
        ? new Redirect(referencePath)
        : {
            version: apiVersion,
            server_version: version,
            documentation: `${baseUrl}${referencePath}`,
            openapi: `${baseUrl}/v1/openapi.json`,
            endpoints,
          },
    ai: ({ query }) =>
      query.for !== undefined ? tools[query.for] : query.format === 'json' ? tools.own : documents.ai,
    openapi: () => documents.openapi,
    llms: () => documents.llms,
  }
}

/** `data` of GET /v1/ai in each of its JSON forms. RawJson, so that they are serialized once. */
function toolDefinitions(operations: readonly Operation[]): Readonly<Record<ToolForm | 'own', RawJson>> {
  const json = (tools: readonly object[]) => new RawJson(JSON.stringify({ tools }))
  const provided = toolForms.map((form) => [form, json(toolsFor(form, operations))] as const)
  return { own: json(ownTools(operations)), ...(Object.fromEntries(provided) as Record<ToolForm, RawJson>) }
}
