import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { SiteServer } from './area.js'
import { hasSeveralHosts } from './content-host.js'
import type { Destination, Destinations } from './destinations.js'
import { noOperation, type Observer } from './observe.js'
import { newRequestId } from './request-id.js'

interface Dependencies {
  readonly destinations: Destinations
  readonly content: RequestListener
  /** Undefined if no area serves sites: then their hosts are those of the API. */
  readonly sites: { readonly server: SiteServer; readonly answer: AnswerSite } | undefined
  /** Whether a connection with TLS has the certificate of an account. Its hosts are sites or unknown, never the API. */
  readonly isForSites: (socket: Socket) => boolean
  readonly recordClosed: Observer['recordClosed']
  readonly log: Logger
}

const apiPart: Destination = { part: 'api' }

export type AnswerSite = (request: IncomingMessage, response: ServerResponse, host: string) => void

/**
 * Gives the requests for the content host and for sites to their own listeners, before any routing, so the API, the content host
 * and sites never share a path.
 * All share the server, and with it the connections, their limits and their deadlines.
 */
export const routeByHost =
  (dependencies: Dependencies) =>
  (answerApi: RequestListener): RequestListener => {
    const { destinations, content, sites, isForSites } = dependencies
    return (request, response) => {
      // The API answers 400.
      const destination = hasSeveralHosts(request) ? apiPart : destinations.of(request)
      if (destination.part === 'content') content(request, response)
      else if (destination.part === 'api' || !sites) answerApi(request, response)
      else if (destination.part === 'site' || isForSites(request.socket))
        sites.answer(request, response, destination.host)
      else answerUnknown(request, response, destination.host)
    }

    function answerUnknown(request: IncomingMessage, response: ServerResponse, host: string): void {
      const answer = (isSite: boolean | undefined) => {
        if (isSite === true) sites?.answer(request, response, host)
        else answerApi(request, response)
      }
      const isSite = sites?.server.isOwnDomain(host)
      if (!(isSite instanceof Promise)) {
        answer(isSite)
        return
      }
      const startedAt = performance.now()
      // Without the database a host is not known as a site's. At any such host the API has no session and no stored data to give.
      const noSite = (error: unknown) => {
        dependencies.log.warn({ err: error }, 'a look-up of a domain failed')
        return false
      }
      void isSite.catch(noSite).then((found) => {
        if (!response.closed && !request.socket.destroyed) answer(found)
        else {
          const { method } = request
          const requestId = newRequestId()
          dependencies.recordClosed(request, response, {
            requestId,
            method,
            startedAt,
            operation: noOperation,
            caller: null,
          })
        }
      })
    }
  }

/** The second and third applications start and stop with that of the API. */
export function joinApps(api: FastifyInstance, others: readonly FastifyInstance[]): void {
  api.addHook('onReady', async () => {
    for (const app of others) await app.ready()
  })
  api.addHook('preClose', async () => {
    for (const app of others) await app.close()
  })
}
