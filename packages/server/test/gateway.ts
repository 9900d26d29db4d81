import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a gateway treats requests to the server behind it. */
export type Behaviour =
  | 'pass'
  /** Passes the request on at once, and the answer after a delay. */
  | { readonly delayMs: number }
  /** Passes the request on, and closes the connection without an answer. */
  | 'disconnect'
  /** Passes the request on with another key. */
  | { readonly key: string }
  /** Answers with this, and passes nothing on. */
  | { readonly status: number; readonly body: string }
  /** Answers that many writes with 500, and passes the rest on. */
  | { readonly failingWrites: number }

export interface Gateway {
  readonly url: string
  /** Method and path of each request, in order. */
  readonly requests: string[]
  behaviour: Behaviour
  /** How many connections it has accepted. */
  connections(): number
  /** Closes all connections and accepts no further one. */
  close(): Promise<void>
  /** Accepts connections again, on the same port. */
  open(): Promise<void>
}

/** An HTTP proxy with which tests make a server slow, unreachable or wrong. */
export async function startGateway(target: string): Promise<Gateway> {
  const server = createServer((incoming, outgoing) => {
    gateway.requests.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`)
    handle(incoming, outgoing).catch(() => outgoing.destroy())
  })
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { behaviour } = gateway
    if (typeof behaviour === 'object' && 'status' in behaviour) {
      answer(outgoing, behaviour.status, behaviour.body)
      return
    }
    if (
      typeof behaviour === 'object' &&
      'failingWrites' in behaviour &&
      incoming.method !== 'GET' &&
      behaviour.failingWrites > 0
    ) {
      gateway.behaviour = { failingWrites: behaviour.failingWrites - 1 }
      answer(outgoing, 500, '{"error": "Internal Server Error"}')
      return
    }
    const headers = {
      ...incoming.headers,
      ...(typeof behaviour === 'object' && 'key' in behaviour && { 'x-api-key': behaviour.key }),
    }
    const onward = request(target + (incoming.url ?? ''), { method: incoming.method ?? '', headers, agent: false })
    incoming.pipe(onward)
    // Otherwise the server waits for the rest of a request whose client has gone, or has got its answer early.
    outgoing.once('close', () => {
      if (!incoming.complete) onward.destroy()
    })
    const [response] = (await once(onward, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    if (behaviour === 'disconnect') return void outgoing.destroy()
    if (typeof behaviour === 'object' && 'delayMs' in behaviour) await sleep(behaviour.delayMs)
    outgoing.writeHead(response.statusCode ?? 0, { 'content-type': response.headers['content-type'] ?? 'text/plain' })
    outgoing.end(Buffer.concat(chunks))
  }

  let connections = 0
  server.on('connection', () => connections++)
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const gateway: Gateway = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    behaviour: 'pass',
    connections: () => connections,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
    open: () => listen(port),
  }
  return gateway
}

function answer(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(body)
}
