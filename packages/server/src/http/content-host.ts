import type { IncomingMessage, RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The host that serves what users upload. Its name in a browser differs from that of the API, so scripts there cannot use the API. */
export const contentHostOf = (sitesDomain: string): string => `content.${sitesDomain}`

/**
 * Gives the requests for the content host to a second application, before any routing: neither application has the paths of the
 * other. Both share the server, and with it the connections, their limits and their deadlines.
 * @param wrap wraps the listener of the second application, to answer some requests without it
 */
export function routeByHost(
  api: FastifyInstance,
  content: FastifyInstance,
  host: string,
  wrap: (next: RequestListener) => RequestListener = (next) => next,
): void {
  const [answer] = api.server.listeners('request') as [RequestListener]
  const isForContent = hostMatcher(host)
  const answerContent = wrap((request, response) => {
    content.routing(request, response)
  })
  api.addHook('onReady', async () => {
    await content.ready()
  })
  api.addHook('preClose', () => content.close())
  api.server.off('request', answer)
  api.server.on('request', (request, response) => {
    if (isForContent(request)) answerContent(request, response)
    else answer(request, response)
  })
}

/** Tells whether a request is for a host, on any port. A host with a user or another irregularity does not match. */
export function hostMatcher(host: string): (request: Pick<IncomingMessage, 'url' | 'headers'>) => boolean {
  const form = new RegExp(String.raw`^${host.replaceAll('.', String.raw`\.`)}\.?(?::\d*)?$`, 'i')
  return (request) => {
    const named = request.headers.host
    // Without the header, HTTP/1.1 is an error and HTTP/1.0 names no host.
    return named !== undefined && form.test(authorityIn(request.url) ?? named)
  }
}

/** The authority of a request target in absolute form, which overrides the header Host (RFC 9112, section 3.2.2). */
const authorityIn = (target = '/'): string | undefined =>
  target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
