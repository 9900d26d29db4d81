import { aiTools, apiVersion, brief, catalogue, llmsTxt, openapi, type Areas, type Operation } from '@svc/contract'
import { Document, Redirect } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { prefersPage } from './rules.js'

const referencePath = '/reference'

/**
 * The contract describing itself. Every document is built here, once.
 * @param operations what this server does, in the order of the catalogue
 * @param baseUrl where it is reached from outside
 */
export function catalogueHandlers(operations: readonly Operation[], baseUrl: string): Handlers<Areas['catalogue']> {
  const endpoints = catalogue(operations)
  const tools = aiTools(operations)
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
            documentation: `${baseUrl}${referencePath}`,
            openapi: `${baseUrl}/v1/openapi.json`,
            endpoints,
          },
    ai: ({ query }) => (query.format === 'json' ? { tools } : documents.ai),
    openapi: () => documents.openapi,
    llms: () => documents.llms,
  }
}
