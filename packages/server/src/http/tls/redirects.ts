import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { CertificateSource, OpenChallenges } from '../../ports/certificates/port.js'
import { acmeChallengePath } from '../../shared/acme-challenge-path.js'
import { keepAccepting, type Connections } from '../connections.js'
import { hasSeveralHosts } from '../content-host.js'
import { hostIn, type Destinations } from '../destinations.js'
import type { Observer } from '../observe.js'
import { newRequestId } from '../request-id.js'
import type { Deadlines } from '../slow-clients.js'

interface RedirectOptions extends Pick<Observer, 'recordClosed'> {
  readonly certificates: CertificateSource
  readonly challenges: OpenChallenges
  readonly destinations: Destinations
  /** The port of https URLs, empty for the usual one. */
  readonly publicPort: string
  readonly connections: Connections
  readonly deadlines: Deadlines
  readonly log: Logger
}

/** The name of its requests in the log and the metrics. */
const redirectOperation = 'https_redirect'

const tokenForm = /^[\w-]{1,256}$/

const maxHeaderBytes = 16 * 1024

/** The port of plain HTTP beside that of TLS: redirects to https, and answers http-01. It reads no bodies. */
export function redirectServer(options: RedirectOptions): Server {
  const { connections, deadlines, log, recordClosed } = options
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: deadlines.headers,
      requestTimeout: deadlines.body,
      connectionsCheckingInterval: deadlines.sweep,
    },
    (request, response) => {
      const observed = {
        requestId: newRequestId(),
        method: request.method,
        operation: redirectOperation,
        caller: null,
        startedAt: performance.now(),
      }
      response.on('close', () => {
        recordClosed(request, response, observed)
      })
      answer(request, response, options).catch((error: unknown) => {
        log.error({ err: error }, 'internal error')
        response.destroy()
      })
    },
  )
  keepAccepting(server, log)
  connections.limit(server)
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy())
    connections.admit(socket)
  })
  return server
}

async function answer(request: IncomingMessage, response: ServerResponse, options: RedirectOptions): Promise<void> {
  const { certificates, challenges, destinations, publicPort } = options
  const path = pathOf(request.url ?? '/')
  const isChallenge = path.startsWith(acmeChallengePath)
  const token = isChallenge ? path.slice(acmeChallengePath.length) : ''
  const authorization = tokenForm.test(token) ? await challenges.keyAuthorization(token) : undefined
  if (authorization !== undefined) {
    send(response, 200, { 'content-type': 'application/octet-stream' }, authorization)
    return
  }
  const host = hasSeveralHosts(request) ? undefined : hostIn(request.headers.host ?? '')
  if (host === undefined || certificates.find(host) === undefined)
    send(response, 404, text, 'This server has no certificate for the host, so it cannot redirect to https.\n')
  // A CA follows redirects. Only the operator may prove these names.
  else if (isChallenge && isBelowSitesDomain(host)) send(response, 404, text, 'No such challenge is open.\n')
  else {
    const port = publicPort && `:${publicPort}`
    send(response, 308, { ...text, location: `https://${host}${port}${path}` }, 'Use https.\n')
  }

  function isBelowSitesDomain(name: string): boolean {
    const { part } = destinations.of({ url: '/', headers: { host: name } })
    return part === 'site' || part === 'content'
  }
}

/** The path and the query of a request target, which may have an authority in front. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target
  const path = /^https?:\/\/[^/?#]*(\/.*)$/i.exec(target)?.[1]
  return path ?? '/'
}

const text = { 'content-type': 'text/plain; charset=utf-8' }

/** Every answer is the last of its connection, so a body that follows is not read. */
function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  const all = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, all).end(body)
}
