import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { OperatorError } from '../shared/operator-error.js'
import type { Health } from './health.js'

export interface StatusOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly health: () => Health
  /** In the text format of Prometheus. */
  readonly metrics: () => string
  readonly log: Logger
}

export interface StatusServer {
  readonly port: number
  close(): Promise<void>
}

// An import reads all exports, and with them the client of WebSocket and fetch: 14 MB.
const { createServer } = process.getBuiltinModule('node:http')

/** Milliseconds for one request. */
const requestMs = 5_000

/** Serves /healthz and /metrics. @throws OperatorError if it cannot listen */
export async function openStatus({ host, port, health, metrics, log }: StatusOptions): Promise<StatusServer> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    try {
      answer(request, response, { health, metrics })
    } catch (err) {
      log.error({ err }, 'a request for the state of the nameserver failed')
      response.destroy()
    }
  })
  server.maxConnections = 64
  server.setTimeout(requestMs)
  const opened = once(server, 'listening')
  server.listen(port, host)
  await opened.catch((error: unknown) => {
    throw new OperatorError(
      `svc cannot listen on ${host}, port ${String(port)}: ${(error as Error).message}. Change SVC_HOST or SVC_PORT.`,
      1,
      { cause: error },
    )
  })
  server.on('error', (err) => {
    log.error({ err }, 'the port for the state of the nameserver failed')
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function answer(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  { health, metrics }: Pick<StatusOptions, 'health' | 'metrics'>,
): void {
  const path = url.split('?', 1)[0]
  const send = (status: number, type: string, text: string) => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
  }
  if (method !== 'GET' && method !== 'HEAD') send(405, 'text/plain', 'Only GET and HEAD.\n')
  else if (path === '/healthz' || path === '/readyz') {
    const state = health()
    send(state.ok ? 200 : 503, 'application/json', `${JSON.stringify(state)}\n`)
  } else if (path === '/metrics') send(200, 'text/plain; version=0.0.4', metrics())
  else send(404, 'text/plain', 'Only /healthz and /metrics.\n')
}
