import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { App } from '../app/app.js'
import type { Config } from '../config/config.js'
import { OperatorError } from '../shared/operator-error.js'

/** Opens the port. @returns the server's address for clients on this machine */
export async function listen({ http }: App, { host, port }: Config): Promise<string> {
  await http.ready()
  // Not with Fastify's listen(), which would log a separate line.
  const open = () =>
    new Promise<void>((resolve, reject) => {
      http.server.once('error', reject)
      http.server.listen({ host, port }, () => {
        http.server.off('error', reject)
        resolve()
      })
    })
  await opened(open, { host, port, hostEnv: 'SVC_HOST', portEnv: 'SVC_PORT' })
  const bound = http.server.address() as AddressInfo
  return `http://${reachable(bound.address)}:${String(bound.port)}`
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
