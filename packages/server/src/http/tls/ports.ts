import type { Server } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { Logger } from 'pino'
import type { CertificateSource, OpenChallenges } from '../../ports/certificates/port.js'
import type { Connections } from '../connections.js'
import type { Destinations } from '../destinations.js'
import type { Metrics } from '../metrics.js'
import type { Observer } from '../observe.js'
import type { Deadlines } from '../slow-clients.js'
import { TlsListener } from './listener.js'
import { redirectServer } from './redirects.js'
import { isEstablished } from './server-name.js'

export interface TlsPortsOptions {
  readonly certificates: CertificateSource
  readonly challenges: OpenChallenges
  /** An origin with https. */
  readonly publicUrl: string
  /** Whether a port of plain HTTP redirects to that of TLS. */
  readonly redirects: boolean
  /** How long a handshake may take, from the start of the connection, in milliseconds. */
  readonly handshakeMs?: number
}

const defaultHandshakeMs = 10_000

interface Shared extends Pick<Observer, 'recordClosed'> {
  readonly connections: Connections
  readonly destinations: Destinations
  readonly deadlines: Deadlines
  readonly log: Logger
  readonly metrics: Metrics | undefined
}

/** The ports of TLS and of the redirects to it. */
export interface TlsPorts extends Pick<TlsListener, 'servedOf'> {
  readonly server: NetServer
  readonly redirects: Server | undefined
  /** Whether answers of the API on a connection have Strict-Transport-Security; undefined for one without TLS. */
  readonly isSecure: (socket: Socket) => boolean | undefined
  /** Stops accepting, and resolves when all connections are closed. Those that are kept alive are closed by the server of HTTP. */
  readonly close: () => Promise<void>
}

/** @param http gets the connections after the handshake */
export function tlsPorts(http: Server, options: TlsPortsOptions, shared: Shared): TlsPorts {
  const { hostname, port } = new URL(options.publicUrl)
  const listener = new TlsListener({
    ...options,
    ...shared,
    defaultName: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
    deadlineMs: options.handshakeMs ?? defaultHandshakeMs,
    serve: (socket) => http.emit('connection', socket),
  })
  const redirects = options.redirects ? redirectServer({ ...options, ...shared, publicPort: port }) : undefined
  return {
    server: listener.server,
    redirects,
    servedOf: listener.servedOf,
    isSecure: (socket) => {
      const served = listener.servedOf(socket)
      return served && isEstablished(served)
    },
    close: async () => {
      await Promise.all([listener.close(), redirects && closed(redirects)])
    },
  }
}

const closed = (server: Server): Promise<void> | undefined =>
  server.listening
    ? new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
    : undefined
