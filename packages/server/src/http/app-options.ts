import { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { nothingHere } from './answer.js'
import type { TrustedProxies } from './context.js'
import { maxParamLength } from './paths.js'
import { newRequestId } from './request-id.js'

interface AppOptions {
  readonly log: Logger
  readonly trusted: TrustedProxies
}

function refuseSchema(): never {
  throw new Error('A route must not have a schema: declare its operation in the contract.')
}

/** The options of Fastify that the API and the content host share. */
export const appOptions = ({ log, trusted }: AppOptions) => ({
  loggerInstance: log as FastifyBaseLogger,
  logController: new LogController({ disableRequestLogging: true }),
  // One logger for all: a child for each request costs more than most handlers.
  childLoggerFactory: (logger: FastifyBaseLogger) => logger,
  genReqId: newRequestId,
  requestIdHeader: false as const,
  trustProxy: trusted,
  return503OnClosing: false,
  routerOptions: { maxParamLength },
  // Fastify would load compilers that no route uses: mount.ts validates and serializes.
  schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
})

/** Prepares an application whose onRequest hook answers unknown paths and wrong methods. */
export function prepareApp(app: FastifyInstance): void {
  // Never called, because the hook answers first. Without this handler Fastify would add one with other messages.
  app.setNotFoundHandler(() => {
    throw nothingHere()
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('startedAt', 0)
}
