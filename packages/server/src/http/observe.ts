import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import type { Caller } from '../shared/account.js'
import type { Metrics } from './metrics.js'
import { requestLog } from './request-log.js'

/** Records an answer that was given outside of any route. */
export type Observe = (seen: Unrouted) => void

interface Unrouted {
  readonly requestId: string
  readonly status: number
  readonly method?: string | undefined
  /** The answered request, if the parser failed in the middle of one. It is recorded when its response closes. */
  readonly request?: IncomingMessage | undefined
}

/** Logged for a request whose client left before the answer. Not an HTTP status; a convention of nginx. */
export const clientLeft = 499

/** A request as it is recorded. */
export interface Observed {
  readonly requestId: string
  readonly method: string | undefined
  readonly operation: string
  /** Null for an unauthenticated request. */
  readonly caller: Caller | null
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
}

export interface Observer {
  readonly observe: Observe
  /** Records a request whose response has closed. The applications do it in a hook; other listeners call this. */
  readonly recordClosed: (request: IncomingMessage, response: ServerResponse, observed: Observed) => void
  /** The hook of an application. */
  readonly recordAtClose: onRequestHookHandler
}

/** Writes one log line and one observation for each request, when its answer is sent or the client has left. */
export function observer(log: Logger, metrics: Metrics | undefined): Observer {
  const answered = new WeakMap<IncomingMessage, Unrouted>()
  const logRequest = requestLog(log)
  const recordClosed: Observer['recordClosed'] = (request, response, observed) => {
    const ms = performance.now() - observed.startedAt
    const { method, operation, caller } = observed
    const seen = response.writableFinished ? undefined : answered.get(request)
    const requestId = seen?.requestId ?? observed.requestId
    const status = response.writableFinished ? response.statusCode : (seen?.status ?? clientLeft)
    // Without the URL: a path or a query may hold secrets or personal data.
    logRequest({ requestId, method, operation, status, ms: Math.round(ms * 1000) / 1000, caller })
    metrics?.observe(operation, status, ms)
  }
  // Without a listener, an error would end the process.
  const logError = (error: Error) => {
    log.error({ err: error }, 'an answer could not be written')
  }
  const recordAtClose: onRequestHookHandler = (request, { raw }, done) => {
    request.startedAt = performance.now()
    raw.on('error', logError)
    // Not the hook onResponse: it does not run if the client has left.
    raw.on('close', () => {
      recordClosed(request.raw, raw, {
        requestId: request.id,
        method: request.method,
        operation: operationOf(request),
        caller: request.caller ?? null,
        startedAt: request.startedAt,
      })
    })
    done()
  }
  const observe: Observe = (unrouted) => {
    const { requestId, method, status, request } = unrouted
    if (request) {
      answered.set(request, unrouted)
      return
    }
    logRequest({ requestId, method, operation: noOperation, status, ms: 0, caller: null })
    metrics?.observe(noOperation, status, 0)
  }
  return { observe, recordClosed, recordAtClose }
}

export const noOperation = 'none'

const operationOf = (request: FastifyRequest): string => request.routeOptions.config.operation ?? noOperation
