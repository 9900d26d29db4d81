import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { freePort } from '../../test/servers/index.js'

export interface DnsRelay {
  readonly port: number
  readonly stop: () => void
}

/** How long one server has for its answer, in milliseconds. */
const answerMs = 300

/**
 * Asks one nameserver after another until one answers, as resolvers do. UDP only.
 * @param ports of the nameservers on 127.0.0.1, the first one first; called for each query
 */
export async function startDnsRelay(ports: () => readonly number[]): Promise<DnsRelay> {
  const port = await freePort()
  const relay = createSocket('udp4')
  const asking = new Set<Socket>()
  relay.on('message', (query, { port: client }) => {
    void askAll(query).then((answer) => {
      if (answer !== undefined) relay.send(answer, client, '127.0.0.1')
    })
  })
  const askAll = async (query: Buffer) => {
    for (const server of ports()) {
      const answer = await ask(server, query)
      if (answer !== undefined) return answer
    }
    return undefined
  }
  const ask = (server: number, query: Buffer) =>
    new Promise<Buffer | undefined>((resolve) => {
      const socket = createSocket('udp4')
      asking.add(socket)
      const end = (answer?: Buffer) => {
        clearTimeout(timer)
        if (asking.delete(socket)) socket.close()
        resolve(answer)
      }
      const timer = setTimeout(end, answerMs)
      socket.on('message', end).on('error', () => end())
      // Connected, so that a closed port is an error.
      socket.connect(server, '127.0.0.1', () => {
        if (asking.has(socket)) socket.send(query)
      })
    })
  relay.bind(port, '127.0.0.1')
  await once(relay, 'listening')
  return { port, stop: () => relay.close() }
}
