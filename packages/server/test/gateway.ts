import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a gateway does with the requests for the server behind it. */
export type Behaviour =
  | 'pass'
  /** Passes the request on, and the answer after so many milliseconds. */
  | { readonly delayMs: number }
  /** Passes the request on, and breaks the connection instead of answering. */
  | 'disconnect'
  /** Passes the request on with another key. */
  | { readonly key: string }
  /** Answers by itself. */
  | { readonly status: number; readonly body: string }
  /** Answers writes by itself, with 500, so many times; passes the rest on. */
  | { readonly failingWrites: number }

export interface Gateway {
  readonly url: string
  /** Method and path of each request, in order. */
  readonly requests: string[]
  behaviour: Behaviour
  /** How many it has taken since it was started. */
  connections(): number
  /** Takes no connection any more. */
  shut(): Promise<void>
  /** Takes them again, at the same port. */
  open(): Promise<void>
}

/** A small HTTP server in front of another: through it tests make a server slow, rude or confused. */
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
    if (typeof behaviour === 'object' && 'failingWrites' in behaviour && incoming.method !== 'GET' && behaviour.failingWrites > 0) {
      gateway.behaviour = { failingWrites: behaviour.failingWrites - 1 }
      answer(outgoing, 500, '{"error": "Internal Server Error"}')
      return
    }
    const headers = { ...incoming.headers, ...(typeof behaviour === 'object' && 'key' in behaviour && { 'x-api-key': behaviour.key }) }
    const onward = request(target + (incoming.url ?? ''), { method: incoming.method ?? '', headers, agent: false })
    incoming.pipe(onward)
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
    shut: async () => {
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
