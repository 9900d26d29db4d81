import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy that simulates network failures. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** While silent, the proxy accepts connections but drops all bytes. */
  setSilent(silent: boolean): void
  /** Resets the selected open connections on both sides. */
  reset(isSelected: () => boolean): void
}

/** Starts a proxy to a port on 127.0.0.1. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let silent = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [pair, [far, near]] as const) {
      // Bytes during silence are lost, like in a network that drops packets.
      from.on('data', (bytes) => {
        if (!silent && !to.destroyed) to.write(bytes)
      })
      from.on('error', end)
      from.on('close', end)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    setSilent: (now) => {
      silent = now
    },
    reset: (isSelected) => {
      for (const pair of [...pairs]) if (isSelected()) for (const socket of pair) socket.resetAndDestroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
