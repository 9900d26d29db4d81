import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request that a target has received. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server that webhooks forward to. */
export interface TargetServer {
  readonly url: string
  readonly received: Received[]
  /** Decides the status of each answer; undefined for no answer. By default 200. */
  answer: (request: Received) => number | undefined
  /** The body of each answer. */
  body: string | Buffer
  /** The header Retry-After of each answer. */
  retryAfter: string | undefined
  /** Stops listening and closes all connections. */
  readonly stop: () => Promise<void>
  /** Listens again at the same address. */
  readonly start: () => Promise<void>
}

export async function startTarget(): Promise<TargetServer> {
  let port = 0
  let server: Server
  const target: TargetServer = {
    get url() {
      return `http://127.0.0.1:${String(port)}/hook`
    },
    received: [],
    answer: () => 200,
    body: 'answer',
    retryAfter: undefined,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    start: async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('error', () => undefined)
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const { method = '', url = '', headers } = request
          const received = { method, url, headers, body: Buffer.concat(chunks) }
          target.received.push(received)
          const status = target.answer(received)
          if (target.retryAfter !== undefined) response.setHeader('retry-after', target.retryAfter)
          if (status !== undefined) response.writeHead(status, { location: '/elsewhere' }).end(target.body)
        })
      })
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
    },
  }
  await target.start()
  return target
}

/** Verifies a request as a receiver does (Standard Webhooks). */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const signed = Buffer.concat([
    Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
    body,
  ])
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  const given = Buffer.from(String(headers['webhook-signature']))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
