import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { connect } from 'node:tls'

/** The first message of a client for localhost, which can be sent many times. */
export async function clientHello(): Promise<Buffer> {
  const sink = createServer().listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const sender = connect({ port: (sink.address() as AddressInfo).port, servername: 'localhost' })
  sender.on('error', () => sender.destroy())
  const [socket] = (await once(sink, 'connection')) as [Socket]
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  sender.destroy()
  sink.close()
  return bytes
}
