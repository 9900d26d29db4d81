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
import type { Authenticate, Caller } from '../../shared/account.js'
import { bearerToken } from '../../shared/bearer-token.js'
import { ofUsable } from '../../shared/usable-operations.js'
import { version } from '../../shared/version.js'

interface CatalogueDependencies {
  /** The operations of this server, in the order of the catalogue. */
  readonly operations: readonly Operation[]
  /** The server's public address. */
  readonly baseUrl: string
  /** The path of the reference page. */
  readonly referencePath: string
  readonly authenticate: Authenticate
}

/** The most briefs for tokens with different scopes and rules that are kept, each of up to 30 kB. */
const keptBriefs = 50

type Brief = ToolForm | 'own' | 'text'

/** The contract's descriptions of itself. The documents are built once, by this call. */
export function catalogueHandlers({
  operations,
  baseUrl,
  referencePath,
  authenticate,
}: CatalogueDependencies): Handlers<Areas['catalogue']> {
  const endpoints = catalogue(operations)
  const aiOf = briefs(operations, baseUrl)
  const documents = {
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
    ai: ({ query }, { header, ip }) => {
      const wanted: Brief = query.for ?? (query.format === 'json' ? 'own' : 'text')
      const token = bearerToken(header('authorization') ?? '')
      const caller = token === undefined ? undefined : authenticate(token, () => ip)
      return caller instanceof Promise ? caller.then((found) => aiOf(wanted, found)) : aiOf(wanted, caller)
    },
    openapi: () => documents.openapi,
    llms: () => documents.llms,
  }
}

/**
 * Makes the answers of GET /v1/ai. Those for everybody are made once.
 * @returns for a caller, the answer with only the operations that the token may call
 */
function briefs(operations: readonly Operation[], baseUrl: string) {
  const textOf = (some: readonly Operation[]) => brief(some, { baseUrl })
  const mediaType = 'text/plain; charset=utf-8'
  // Serialized once.
  const toolsOf = (form: ToolForm | 'own') => (some: readonly Operation[]) =>
    new RawJson(JSON.stringify({ tools: form === 'own' ? ownTools(some) : toolsFor(form, some) }))
  const text = new Document(textOf(operations), mediaType)
  const textFor = ofUsable(
    operations,
    (some) => new Document(textOf(some), mediaType, { 'cache-control': 'no-store' }),
    keptBriefs,
  )
  const tools = (['own', ...toolForms] as const).map((form) => {
    const make = toolsOf(form)
    return [form, { all: make(operations), forCaller: ofUsable(operations, make, keptBriefs) }] as const
  })
  const toolsByForm = new Map<Brief, (typeof tools)[number][1]>(tools)
  return (wanted: Brief, caller: Caller | undefined): Document | RawJson => {
    const found = toolsByForm.get(wanted)
    if (caller === undefined) return found?.all ?? text
    return (found?.forCaller ?? textFor)(caller.scopes, caller.account.rules)
  }
}
