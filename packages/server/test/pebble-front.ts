import { readFileSync } from 'node:fs'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Pebble } from '../../../test/servers/index.js'

export interface PebbleFront {
  readonly directoryUrl: URL
  /** The payloads of all requests for new orders. */
  readonly orders: Record<string, unknown>[]
  /** The ids of all requests for renewal information. */
  readonly asked: string[]
  /** The answer to requests for renewal information. */
  renewalInfo: { readonly body: unknown; readonly retryAfter: string }
  /** Called with each answer before it is sent. */
  observe: (exchange: CaExchange) => void
  readonly stop: () => Promise<void>
}

export interface CaExchange {
  readonly path: string
  /** Of the request. */
  readonly payload: Record<string, unknown>
  readonly location: string | undefined
  /** The body of the answer. */
  readonly text: string
}

/** A server in front of Pebble 2.4 that adds what it lacks: renewal information (RFC 9773) and profiles. */
export async function startPebbleFront(pebble: Pebble): Promise<PebbleFront> {
  const [cert, key, { port, hostname }] = [readFileSync(pebble.ca), readFileSync(pebble.key), new URL(pebble.url)]
  const orders: Record<string, unknown>[] = []
  const asked: string[] = []
  // Pebble makes its URLs with the Host header, which the signature of each request covers.
  const forward = async (request: IncomingMessage, body: Buffer): Promise<IncomingMessage> => {
    const { method = 'GET', url: path = '/', headers } = request
    const sent = httpsRequest({ hostname, port, method, path, headers, ca: cert, agent: false })
    return new Promise((resolve, reject) => sent.on('response', resolve).on('error', reject).end(body))
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '/', headers } = request
    if (path.startsWith('/renewal-info/')) {
      asked.push(path.slice('/renewal-info/'.length))
      const { body, retryAfter } = front.renewalInfo
      response.setHeader('retry-after', retryAfter).setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
      return
    }
    const sent = await buffer(request)
    if (path === '/order-plz') orders.push(payloadOf(sent))
    const answer = await forward(request, sent)
    let text = await buffer(answer)
    if (path === '/dir') {
      const directory = JSON.parse(text.toString()) as { meta: object }
      const meta = {
        ...directory.meta,
        profiles: { default: 'https://ca.test/default', shortlived: 'https://ca.test/6d' },
      }
      text = Buffer.from(
        JSON.stringify({ ...directory, renewalInfo: `https://${String(headers.host)}/renewal-info`, meta }),
      )
      delete answer.headers['content-length']
    }
    const payload = sent.length === 0 ? {} : payloadOf(sent)
    front.observe({ path, payload, location: answer.headers.location, text: text.toString() })
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(text)
  }
  const server = createServer({ cert, key }, (request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const front: PebbleFront = {
    directoryUrl: new URL(`https://localhost:${(server.address() as AddressInfo).port}/dir`),
    orders,
    asked,
    renewalInfo: { body: {}, retryAfter: '0' },
    observe: () => undefined,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return front
}

const payloadOf = (jws: Buffer): Record<string, unknown> => {
  const { payload } = JSON.parse(jws.toString()) as { payload: string }
  return payload === '' ? {} : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)
}
