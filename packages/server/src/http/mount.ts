import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError, maxBodyBytesOf, requiredScopes, type Operation, type Scope } from '@svc/contract'
import { Document, LongJson, RawJson, Redirect, WithHeaders } from './answer.js'
import { RequestContext, type TrustedProxies } from './context.js'
import { jsonMediaType, success, successPieces } from './envelope.js'
import type { AnyHandler } from './handler.js'
import type { Caller } from '../shared/account.js'
import { routerPath } from './paths.js'
import type { RunningHandlers } from './running-handlers.js'
import { sendDocument, sendPieces } from './send.js'
import { inputChecks } from './validate.js'

/** A way to authenticate: /v1 and /console/api have one each. Areas do not know which door a caller has used. */
export interface Door {
  /** Checks every request, also those of public operations. @throws ApiError for a request that the door does not accept */
  readonly admit?: (request: FastifyRequest) => void
  /** Authenticates the caller. @throws ApiError `unauthorized` */
  readonly identify: (request: FastifyRequest) => Promise<Caller>
}

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
    startedAt: number
  }
  interface FastifyContextConfig {
    operation?: string
    /** Whether the route transfers bytes of any length: then it has no deadline for the whole transfer. */
    isStream?: boolean
  }
}

/** Adds a route for each operation. Validators and serializers are compiled here, at start. */
export function mount(
  app: FastifyInstance,
  operations: readonly Mounted[],
  trusted: TrustedProxies,
  running: RunningHandlers,
): void {
  const checksOf = inputChecks()
  const compiled = new Map<Operation, Compiled>()
  for (const mounted of operations) {
    // An operation behind two doors is compiled once.
    const parts = compiled.get(mounted.op) ?? { checks: checksOf(mounted.op), send: sender(mounted.op) }
    compiled.set(mounted.op, parts)
    app.route(routeOf(mounted, parts, trusted, running))
  }
}

interface Compiled {
  readonly checks: ReturnType<ReturnType<typeof inputChecks>>
  readonly send: Send
}

function routeOf(
  { op, path, door, handler }: Mounted,
  { checks, send }: Compiled,
  trusted: TrustedProxies,
  running: RunningHandlers,
): RouteOptions {
  const route: RouteOptions = {
    method: op.method,
    url: routerPath(path),
    config: { operation: op.id },
    bodyLimit: maxBodyBytesOf(op),
    handler: (request, reply) => {
      const input = {
        params: checks.params(request.params),
        query: checks.query(request.query, request.url),
        body: checks.body(request.body),
      }
      const answer = handler(input as never, new RequestContext(request, trusted) as never)
      if (answer instanceof Promise)
        return running.track(answer).then((awaited) => {
          const sent = send(request, reply, awaited)
          // Fastify must wait for the end of a stream. Any other reply is not returned: it is a thenable, and Fastify would
          // listen for its end, which costs as much as a query.
          return awaited instanceof LongJson ? sent : undefined
        })
      return send(request, reply, answer)
    },
  }
  if (op.access !== 'public') {
    const identify = guard(door, requiredScopes(op), running)
    route.onRequest = identify
    // Authenticate again after the body: a client may delay it, and the token may have been revoked since.
    if (op.method !== 'GET') route.preHandler = identify
  } else if (door.admit) route.onRequest = admitOnly(door.admit)
  return route
}

type Guard = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Checks the token, then the scope, before the body is read ("order of checks" in docs/open-details.md). */
function guard(door: Door, accepted: readonly Scope[], running: RunningHandlers): Guard {
  return (request, _reply, done) => {
    door.admit?.(request)
    running
      .track(door.identify(request))
      .then((caller) => {
        request.caller = caller
        refuseScopes(caller, accepted)
      })
      .then(() => {
        done()
      }, done)
  }
}

const admitOnly =
  (admit: NonNullable<Door['admit']>): NonNullable<RouteOptions['onRequest']> =>
  (request, _reply, done) => {
    admit(request)
    done()
  }

function refuseScopes({ scopes }: Caller, accepted: readonly Scope[]): void {
  if (accepted.length === 0 || scopes.some((scope) => scope === '*' || accepted.includes(scope))) return
  const needed = accepted.length === 1 ? 'the scope' : 'one of the scopes'
  throw new ApiError('forbidden_scope', `The token needs ${needed} ${accepted.join(', ')}.`, {
    required_scopes: accepted,
    token_scopes: scopes,
  })
}

type Send = (request: FastifyRequest, reply: FastifyReply, answer: unknown) => FastifyReply

/**
 * Sends the answers of an operation. Its declared schema serializes `data`, so that nothing undeclared gets out; RawJson and
 * LongJson are the exceptions.
 */
function sender(op: Operation): Send {
  const serialize = op.data === undefined ? undefined : fastJsonStringify(op.data)
  const sendData: Send = (request, reply, data) => {
    if (serialize === undefined) throw new Error(`${op.id} answers with data that the contract does not declare.`)
    reply.header('content-type', jsonMediaType)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (data instanceof LongJson) return sendPieces(reply, successPieces(data.pieces, request.id))
    return reply.send(success(data instanceof RawJson ? data.json : serialize(data as object), request.id))
  }
  return (request, reply, answer) => {
    if (answer instanceof Document) return sendDocument(request, reply, answer)
    if (answer instanceof Redirect) return reply.redirect(answer.location, 302)
    if (answer instanceof WithHeaders) return sendData(request, reply.headers(answer.headers), answer.data)
    return sendData(request, reply, answer)
  }
}
