import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A server that goes away and comes back, for the pages that are open meanwhile. */

export interface Gate {
  readonly url: string
  /** Ends all connections and refuses new ones, as a server that was stopped. */
  readonly close: () => Promise<void>
  /** Takes connections again, on the same port. */
  readonly open: () => Promise<void>
}

/** A port that leads to a server until it is closed. */
export async function openGate(url: string): Promise<Gate> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(Number(port), hostname)
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => sockets.delete(socket))
      socket.pipe(other)
    }
  })
  await once(server.listen(0, hostname), 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    url: `http://${hostname}:${String(own)}`,
    close: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    open: async () => {
      await once(server.listen(own, hostname), 'listening')
    },
  }
}
