import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { parseIpAddress } from '../../../shared/ip-address.js'

/** A way to one secondary over UDP. */
export interface Link {
  /** Never throws for an address that cannot be reached: its error is given to `onError`. */
  send(packet: Buffer): void
  close(): void | Promise<void>
}

/**
 * @param onMessage gets packets from the address and port of the secondary only
 * @param onError the link is broken: messages under way have failed
 */
export type OpenLink = (onMessage: (packet: Buffer) => void, onError: (error: Error) => void) => Promise<Link>

export interface LinkTarget {
  /** An IP address. */
  readonly address: string
  readonly port: number
}

/** A socket for one secondary. It is connected, so it learns that a port is closed. */
export const connectedLink =
  ({ address, port }: LinkTarget): OpenLink =>
  async (onMessage, onError) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.on('error', onError)
    socket.on('message', onMessage)
    socket.connect(port, address)
    try {
      await once(socket, 'connect')
    } catch (error) {
      socket.close()
      throw error
    }
    return { send: (packet) => socket.send(packet), close: () => closeSocket(socket) }
  }

const closeSocket = (socket: Socket): Promise<void> => new Promise((done) => socket.close(done))

type Family = 'udp4' | 'udp6'

/** Links to many secondaries over one socket for each family of addresses. */
export class SharedSockets {
  private readonly sockets = new Map<Family, Socket>()
  /** By address and port. Two accounts may name the same secondary. */
  private readonly receivers = new Map<string, Set<(packet: Buffer) => void>>()

  linkTo({ address, port }: LinkTarget): OpenLink {
    return async (onMessage, onError) => {
      const key = sourceOf(address, port)
      const same = this.receivers.get(key) ?? new Set()
      this.receivers.set(key, same.add(onMessage))
      return {
        send: (packet) => {
          this.socketFor(address).send(packet, port, address, (error) => {
            if (error !== null) onError(error)
          })
        },
        close: () => {
          same.delete(onMessage)
          if (same.size === 0 && this.receivers.get(key) === same) this.receivers.delete(key)
        },
      }
    }
  }

  async close(): Promise<void> {
    const opened = [...this.sockets.values()]
    this.sockets.clear()
    await Promise.all(opened.map(closeSocket))
  }

  private socketFor(address: string): Socket {
    const family = isIPv6(address) ? 'udp6' : 'udp4'
    const known = this.sockets.get(family)
    if (known !== undefined) return known
    const socket = createSocket({ type: family, ipv6Only: family === 'udp6' })
    socket.on('error', () => {
      // The next message opens another one; those under way get no answer.
      if (this.sockets.get(family) === socket) this.sockets.delete(family)
      socket.close()
    })
    socket.on('message', (packet, { address: from, port }) => {
      for (const receive of this.receivers.get(sourceOf(from, port)) ?? []) receive(packet)
    })
    this.sockets.set(family, socket)
    return socket
  }
}

/** The same text for all spellings of an address. */
const sourceOf = (address: string, port: number): string =>
  `${parseIpAddress(address)?.toString() ?? address} ${String(port)}`
