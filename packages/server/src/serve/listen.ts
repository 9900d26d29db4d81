import type { AddressInfo, Server } from 'node:net'
import type { Logger } from 'pino'
import type { App } from '../app/app.js'
import type { Config } from '../config/config.js'
import { OperatorError } from '../shared/operator-error.js'

/** The server's addresses for clients on this machine. */
export interface Listening {
  readonly url: string
  /** Undefined if svc does not end TLS itself. */
  readonly tlsUrl: string | undefined
}

/** Opens the ports of HTTP and HTTPS. */
export async function listen({ http, tls }: App, { host, port, tls: config }: Config): Promise<Listening> {
  await http.ready()
  // Not with Fastify's listen(), which would log a separate line.
  const url = `http://${await openPort(http.server, { host, port, hostEnv: 'SVC_HOST', portEnv: 'SVC_PORT' })}`
  if (tls === undefined || config === undefined) return { url, tlsUrl: undefined }
  const ofTls = { host, port: config.port, hostEnv: 'SVC_HOST', portEnv: 'SVC_TLS_PORT' }
  const tlsUrl = `https://${await openPort(tls.server, ofTls, tlsBacklog)}`
  if (tls.redirects && config.redirectPort !== undefined)
    await openPort(tls.redirects, { host, port: config.redirectPort, hostEnv: 'SVC_HOST', portEnv: 'SVC_HTTP_PORT' })
  return { url, tlsUrl }
}

/**
 * Connections that wait to be accepted on the port of TLS; Linux allows at most 4096. With the 511 of Node.js, a flood of handshakes makes
 * the kernel drop the first packets of other clients, which repeat them after a second.
 */
const tlsBacklog = 4096
const defaultBacklog = 511

/** @returns host and port for clients on this machine */
async function openPort(server: Server, place: Place, backlog = defaultBacklog): Promise<string> {
  const { host, port } = place
  const open = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  await opened(open, place)
  const bound = server.address() as AddressInfo
  return `${reachable(bound.address)}:${String(bound.port)}`
}

/** Opens the port of the metrics if it is configured. @returns a function that closes it */
export async function listenForMetrics(
  { metrics }: App,
  config: Config['metrics'],
  log: Logger,
): Promise<() => Promise<void>> {
  if (metrics === undefined || config === undefined) return () => Promise.resolve()
  const { host, port } = config
  const names = { hostEnv: 'SVC_METRICS_HOST', portEnv: 'SVC_METRICS_PORT' }
  return opened(() => metrics.serve(host, port, log), { host, port, ...names })
}

/** An address that a client can connect to, also for a server that listens on all addresses. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}

interface Place {
  readonly host: string
  readonly port: number
  readonly hostEnv: string
  readonly portEnv: string
}

async function opened<R>(open: () => Promise<R>, place: Place): Promise<R> {
  try {
    return await open()
  } catch (error) {
    const explained = explain((error as NodeJS.ErrnoException).code, place)
    throw explained === undefined ? error : new OperatorError(explained, 1, { cause: error })
  }
}

/** One sentence that names the setting and values that work; undefined for other errors. */
export function explain(code: string | undefined, { host, port, hostEnv, portEnv }: Place): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${String(port)} on ${host} is in use: stop the process that listens there, or set ${portEnv} to another port.`
    case 'EACCES':
      return `Port ${String(port)} needs privileges that this user does not have: set ${portEnv} to 1024 or above.`
    case 'EADDRNOTAVAIL':
      return `This machine does not have the address ${host}: set ${hostEnv} to one it has, or to 0.0.0.0 for all.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} does not resolve: set ${hostEnv} to an address of this machine.`
    default:
      return undefined
  }
}
