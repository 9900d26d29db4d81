import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy in front of PostgreSQL that can hold back the answer to a COMMIT. */
export interface SlowCommitProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** Delays the answer to the next COMMIT; PostgreSQL itself gets the COMMIT at once. Resolves when it has been sent. */
  readonly delayNextCommit: (delayMs: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export async function slowCommitProxy(database: string): Promise<SlowCommitProxy> {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let armed: { readonly delayMs: number; readonly sent: () => void } | undefined
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const chunks: Buffer[] = []
    let isHeld = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      upstream.write(chunk)
      if (armed === undefined || !/commit/i.test(chunk.toString('latin1'))) return
      const { delayMs, sent } = armed
      armed = undefined
      isHeld = true
      sent()
      setTimeout(() => {
        isHeld = false
        for (const held of chunks.splice(0)) client.write(held)
      }, delayMs)
    })
    upstream.on('data', (chunk) => {
      if (isHeld) chunks.push(chunk)
      else client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(database)
  proxied.port = String((server.address() as AddressInfo).port)
  return {
    url: proxied.href,
    delayNextCommit: (delayMs) =>
      new Promise((sent) => {
        armed = { delayMs, sent }
      }),
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
