import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ContentError } from '../answer.js'
import { authorityIn } from '../content-host.js'
import type { Destinations } from '../destinations.js'
import { plainFailure } from '../envelope.js'
import { hsts } from '../headers.js'
import { noOperation, type Observer } from '../observe.js'
import { newRequestId } from '../request-id.js'
import type { ServedName } from './listener.js'

/** Browsers are told to use https only for a host that has had certificates for so long: its first one may be a trial. */
const hstsAfterMs = 24 * 3_600_000

/** Whether browsers may be told to use https only for a host. */
export const isEstablished = ({ since }: ServedName): boolean => Date.now() - since >= hstsAfterMs

interface Dependencies extends Pick<Observer, 'recordClosed'> {
  readonly destinations: Destinations
  readonly servedOf: (socket: Socket) => ServedName | undefined
}

/**
 * Answers 421 to a request over TLS for another host than that of the connection (RFC 9110, section 15.5.20): what a proxy or a client
 * has decided by the name of the connection must hold for all of its requests. The hosts of the API are one.
 */
export const checkServerName =
  ({ destinations, servedOf, recordClosed }: Dependencies) =>
  (next: RequestListener): RequestListener =>
  (request, response) => {
    const served = servedOf(request.socket)
    if (served === undefined) {
      next(request, response)
      return
    }
    const { part } = destinations.of(request)
    if (!isForName(request, served.name) && !(part === 'api' && partOf(served.name) === 'api')) {
      misdirect(request, response, recordClosed)
      return
    }
    // The API adds it to its other headers, which is cheaper. Headers of a site override it.
    if (part !== 'api' && isEstablished(served)) response.setHeader(hsts.name, hsts.value)
    next(request, response)

    function partOf(name: string) {
      return destinations.of({ url: '/', headers: { host: name } }).part
    }
  }

/** Whether the host of a request is that name, on any port. */
function isForName({ url, headers }: IncomingMessage, name: string): boolean {
  const authority = authorityIn(url) ?? headers.host
  if (authority === undefined) return false
  // Most clients send the name as it is, some with a port.
  if (authority.startsWith(name) && (authority.length === name.length || authority[name.length] === ':')) return true
  return authority.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '') === name
}

function misdirect(request: IncomingMessage, response: ServerResponse, recordClosed: Observer['recordClosed']): void {
  const requestId = newRequestId()
  const { method } = request
  const observed = { requestId, method, operation: noOperation, caller: null, startedAt: performance.now() }
  response.on('close', () => {
    recordClosed(request, response, observed)
  })
  const error = new ContentError(421, 'This connection was opened for another host: open one for this host.')
  const { status, headers, body } = plainFailure(error, requestId)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
