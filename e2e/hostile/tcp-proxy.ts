import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy whose connections fail as networks do. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** Whether bytes are passed on. While they are not, connections are accepted and nothing is ever answered. */
  setSilent(silent: boolean): void
  /** Resets some of the open connections, chosen by the caller, on both sides. */
  reset(chosen: () => boolean): void
}

/** A proxy to a port on 127.0.0.1. */
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
      // What comes while the proxy is silent is lost, as in a network that drops packets.
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
    reset: (chosen) => {
      for (const pair of [...pairs]) if (chosen()) for (const socket of pair) socket.resetAndDestroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
