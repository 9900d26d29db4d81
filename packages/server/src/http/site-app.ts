import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import { Download, nothingHere } from './answer.js'
import type { SiteServer } from './area.js'
import type { Destinations } from './destinations.js'
import { answerErrors, plainErrors } from './failures.js'
import type { RunningHandlers } from './running-handlers.js'
import { sendDownload } from './send-download.js'

/** The name of all requests to sites in the log and the metrics. */
export const siteOperation = 'site'

interface MountOptions {
  readonly log: Logger
  readonly running: RunningHandlers
  readonly destinations: Destinations
}

/** Adds the route of all paths of sites, and the answers to other methods: the files of users with the headers that they chose. */
export function mountSites(app: FastifyInstance, sites: SiteServer, options: MountOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.is404) done(wrongMethod(request.method))
    else done()
  })
  answerErrors(app, options.log, plainErrors)
  app.get('/*', { config: { operation: siteOperation, isStream: true } }, (request, reply) =>
    answerFile(request, reply, sites, options),
  )
}

async function answerFile(
  request: FastifyRequest,
  reply: FastifyReply,
  sites: SiteServer,
  { running, destinations }: MountOptions,
): Promise<FastifyReply> {
  const destination = destinations.of(request.raw)
  const host = 'host' in destination ? destination.host : ''
  const { url: target = '/', headers } = request.raw
  const answer = await running.track(sites.answer({ host, target, encodings: headers['accept-encoding'] }))
  if (answer === undefined) throw nothingHere()
  if (answer instanceof Download) return sendDownload(request, reply, answer, 'content')
  return reply.code(answer.status).headers(answer.headers).send()
}

const wrongMethod = (method: string) =>
  new ApiError('method_not_allowed', `${method} is not supported here; GET and HEAD are.`, {}, { allow: 'GET, HEAD' })
