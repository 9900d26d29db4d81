import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { maxBodyBytesOf, type Operation } from '@svc/contract'
import type { DiskSpace } from '../ports/space/port.js'
import type { Caller } from '../shared/account.js'
import { Document, Download, EventStream, LongJson, RawJson, Redirect, TextFile, WithHeaders } from './answer.js'
import { BytesInFlight } from './bytes-in/bytes-in-flight.js'
import { isByteOperation, otherMediaType } from './bytes-in/open-body.js'
import { receiveBytes, type Intake } from './bytes-in/receive-bytes.js'
import { refusePreconditions } from './conditions.js'
import { RequestContext, type TrustedProxies } from './context.js'
import { admitOnly, afterLateBody, asHook, authenticator, rethrow, type Authenticator, type Door } from './door.js'
import { envelopeLength, success, successPieces } from './envelope.js'
import type { AnyHandler } from './handler.js'
import { worksOnFullDisk } from './frees-space.js'
import { fixedHeaders } from './headers.js'
import { routerPath } from './paths.js'
import type { RunningHandlers } from './running-handlers.js'
import { sendDownload } from './send-download.js'
import { sendEvents } from './send-events.js'
import { jsonHeaders, sendDocument, sendJson, sendList, sendTextFile } from './send.js'
import { inputChecks, type InputChecks } from './validate.js'

/** An operation with its path, its door and its handler. */
export interface Mounted {
  readonly op: Operation
  readonly path: string
  readonly door: Door
  readonly handler: AnyHandler
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Whether the whole body had arrived when the credentials were checked. */
    hadWholeBody: boolean
    startedAt: number
    /** Whether its answer may tell browsers to use https only. */
    isSecure: boolean
  }
  interface FastifyContextConfig {
    operation?: string
    /** Whether the route transfers bytes of any length: then it has no deadline for the whole transfer. */
    isStream?: boolean
    /** Whether its answers set the fixed headers. Those of other routes are set by a hook. */
    setsFixedHeaders?: boolean
    /** The most values of a JSON body; undefined for the default. */
    bodyValuesMax?: number
  }
}

/** What the routes share. */
interface Surroundings {
  readonly trusted: TrustedProxies
  readonly running: RunningHandlers
  /** Required if an operation has bytes. */
  readonly intake?: Intake
  /** Undefined if nothing is stored on a disk. */
  readonly space?: Pick<DiskSpace, 'requireForChange'>
}

interface Shared extends Surroundings {
  readonly inFlight: BytesInFlight
}

/** Adds a route for each operation. Its validators and its serializer are compiled at its first request. */
export function mount(app: FastifyInstance, operations: readonly Mounted[], around: Surroundings): void {
  const checksOf = inputChecks()
  const compiled = new Map<Operation, Compiled>()
  const byteRoutes: RouteOptions[] = []
  const shared = { ...around, inFlight: new BytesInFlight() }
  for (const mounted of operations) {
    // An operation behind two doors shares its validators and its serializer.
    const parts = compiled.get(mounted.op) ?? { checks: checksOf(mounted.op), send: sender(mounted.op) }
    compiled.set(mounted.op, parts)
    const route = routeOf(mounted, parts, shared)
    if (isByteOperation(mounted.op)) byteRoutes.push(route)
    else app.route(route)
  }
  addUnparsed(app, byteRoutes)
}

/** Adds routes whose handlers read the body themselves. */
function addUnparsed(app: FastifyInstance, routes: readonly RouteOptions[]): void {
  void app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, parsed) => {
      parsed(null)
    })
    for (const route of routes) scope.route(route)
    registered()
  })
}

interface Compiled {
  readonly checks: InputChecks
  readonly send: Send
}

function routeOf(mounted: Mounted, { checks, send }: Compiled, around: Shared): RouteOptions {
  const { op, path, door } = mounted
  const authenticate = op.access === 'public' ? undefined : authenticator(op, door, around.running)
  const handle = handlerOf(mounted, checks, around, authenticate)
  const space = worksOnFullDisk(op) ? undefined : around.space
  const route: RouteOptions = {
    method: op.method,
    url: routerPath(path),
    config: {
      operation: op.id,
      isStream: isByteOperation(op) || op.kind === 'stream',
      setsFixedHeaders: true,
      ...(op.maxBodyValues !== undefined && { bodyValuesMax: op.maxBodyValues }),
    },
    bodyLimit: maxBodyBytesOf(op),
    handler: (request, reply) => {
      if (op.kind === 'json') refusePreconditions(request.headers)
      space?.requireForChange()
      const answer = handle(request)
      if (answer instanceof Promise)
        return around.running.track(answer).then(
          (awaited) => {
            const sent = send(request, reply, awaited, authenticate)
            // Fastify must wait for the end of a stream. Any other reply is not returned: it is a thenable, and Fastify would
            // listen for its end, which costs as much as a query.
            return isStreamed(awaited) ? sent : undefined
          },
          (error: unknown) => {
            if (authenticate === undefined) throw error
            return rethrow(error, request, authenticate)
          },
        )
      return send(request, reply, answer, authenticate)
    },
  }
  if (isByteOperation(op)) route.errorHandler = nameMediaTypes(op)
  if (authenticate) {
    // Before the body is read ("order of checks" in docs/open-details.md).
    route.onRequest = asHook(authenticate)
    if (op.method !== 'GET' && !isByteOperation(op)) route.preHandler = afterLateBody(authenticate)
  } else if (door.admit) route.onRequest = admitOnly(door.admit)
  return route
}

/** The handler of an operation, for a request with its body. @throws Error for bytes without an intake */
function handlerOf(
  { op, handler }: Mounted,
  checks: InputChecks,
  { trusted, intake, inFlight }: Shared,
  authenticate: Authenticator | undefined,
): (request: FastifyRequest) => unknown {
  if (typeof handler === 'function')
    return (request) => {
      const input = {
        params: checks.params(request.params),
        query: checks.query(request.query, request.url),
        body: checks.body(request.body),
      }
      return handler(input as never, new RequestContext(request, trusted) as never)
    }
  if (!isByteOperation(op) || !intake) throw new Error(`${op.id} has no bytes to handle, or they have no store.`)
  return receiveBytes({ op, handler, checks, authenticate, intake, inFlight, trusted })
}

/** Fastify refuses a Content-Type that it cannot parse, and does not know the types that the operation takes. */
const nameMediaTypes =
  (op: Operation): NonNullable<RouteOptions['errorHandler']> =>
  (error) => {
    throw error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? otherMediaType(op) : error
  }

const isStreamed = (answer: unknown): boolean =>
  answer instanceof LongJson ||
  answer instanceof Download ||
  answer instanceof TextFile ||
  answer instanceof EventStream

/** Answers with other headers, another status or a streamed body: `sendJson` sends all others. */
type ReplyAnswer = Document | Download | TextFile | EventStream | Redirect | LongJson | WithHeaders<unknown>

const needsReply = (answer: unknown): answer is ReplyAnswer =>
  answer instanceof WithHeaders || answer instanceof Document || answer instanceof Redirect || isStreamed(answer)

/** @returns undefined if the answer was sent in one call, without Fastify's reply */
type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  authenticate: Authenticator | undefined,
) => FastifyReply | Promise<FastifyReply> | undefined

/**
 * Sends the answers of an operation. Its declared schema serializes `data`, so that nothing undeclared gets out; RawJson and
 * LongJson are the exceptions.
 */
function sender(op: Operation): Send {
  const serialize = serializer(op)
  return (request, reply, answer, authenticate) => {
    if (!needsReply(answer)) {
      const length = answer instanceof RawJson ? answer.length : undefined
      sendJson(request, reply, success(serialize(answer), request.id), length && length + envelopeLength(request.id))
      return undefined
    }
    reply.headers(fixedHeaders(request))
    if (answer instanceof Document) return sendDocument(request, reply, answer)
    if (answer instanceof Download) return sendDownload(request, reply, answer, 'api')
    if (answer instanceof TextFile) return sendTextFile(request, reply, answer)
    if (answer instanceof EventStream) return sendEvents(request, reply, answer, authenticate)
    if (answer instanceof Redirect) return reply.redirect(answer.location, 302)
    if (answer instanceof LongJson)
      return sendList(request, reply.headers(jsonHeaders), answer, successPieces(answer.pieces, request.id))
    const json = success(serialize(answer.data), request.id)
    return reply.headers({ ...jsonHeaders, ...answer.headers }).send(json)
  }
}

/** Compiled at the first answer: compiling all takes a twentieth of the start. */
function serializer(op: Operation): (data: unknown) => string {
  let serialize: ((data: object) => string) | undefined
  return (data) => {
    if (op.data === undefined) throw new Error(`${op.id} answers with data that the contract does not declare.`)
    if (data instanceof RawJson) return data.json
    serialize ??= fastJsonStringify(op.data)
    return serialize(data as object)
  }
}
