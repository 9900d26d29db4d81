import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'

/** The first message of a client for a name. */
export async function helloFor(servername: string, options: ConnectionOptions = {}): Promise<Buffer> {
  const sink = await new Promise<Server>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
  })
  const arrived = once(sink, 'connection') as Promise<[Socket]>
  const socket = connect({ ...options, port: (sink.address() as AddressInfo).port, servername })
  socket.on('error', () => socket.destroy())
  const [server] = await arrived
  const [bytes] = (await once(server, 'data')) as [Buffer]
  socket.destroy()
  sink.close()
  return bytes
}
