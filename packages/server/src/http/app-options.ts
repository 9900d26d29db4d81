import type { Socket } from 'node:net'
import { parse } from 'node:querystring'
import { LogController, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { nothingHere } from './answer.js'
import type { TrustedProxies } from './context.js'
import { maxParamLength } from './paths.js'
import { newRequestId } from './request-id.js'

interface AppOptions {
  readonly trusted: TrustedProxies
}

function refuseSchema(): never {
  throw new Error('A route must not have a schema: declare its operation in the contract.')
}

/** The options of Fastify that the API and the content host share. */
export const appOptions = ({ trusted }: AppOptions) => ({
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: newRequestId,
  requestIdHeader: false as const,
  trustProxy: trusted,
  return503OnClosing: false,
  // Fastify's own parser takes two to three times as long for long queries.
  routerOptions: { maxParamLength, querystringParser: parse },
  // Fastify would load compilers that no route uses: mount.ts validates and serializes.
  schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
})

/** Prepares an application whose onRequest hook answers unknown paths and wrong methods. */
export function prepareApp(app: FastifyInstance, log: Logger, isSecure: (socket: Socket) => boolean): void {
  logThrough(app, log)
  // Never called, because the hook answers first. Without this handler Fastify would add one with other messages.
  app.setNotFoundHandler(() => {
    throw nothingHere()
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('hadWholeBody', false)
  app.decorateRequest('startedAt', 0)
  // Not a hook that sets it: each hook costs half a microsecond of a request.
  app.decorateRequest('isSecure', {
    getter() {
      return isSecure(this.raw.socket)
    },
  })
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/**
 * Gives an application that was created without a logger the methods of one. With the option `loggerInstance`, Fastify checks the
 * logger and adds two listeners at each request: 1 to 5 % of its CPU time. Fastify shares
 * the object between the servers of a process: a process has one log.
 */
function logThrough(app: FastifyInstance, log: Logger): void {
  for (const level of levels) app.log[level] = log[level].bind(log)
}
