import { networkOf } from '../../../shared/network-of.js'

/** The part of a socket that the limits use. */
export interface Client {
  /** Undefined for a connection that is already broken. */
  readonly remoteAddress?: string | undefined
  destroy(): unknown
}

export interface ClientLimits {
  /** Maximum number of connections. */
  readonly connections: number
  /** Maximum number of connections of one network (/24, /64). */
  readonly perNetwork: number
}

interface Entry {
  readonly network: string
  /** When it was last active, on a clock that ticks with every activity of any connection. */
  active: number
}

/**
 * The TCP connections of the nameserver, counted by network, because an attacker has many addresses in one network but seldom
 * many networks. A new connection is always accepted. At a limit, the connection that has been idle longest is closed
 * (RFC 7766, sections 6.2.2 and 10): one of the same network, or of the network with the most connections.
 */
export class TcpClients {
  private readonly entries = new Map<Client, Entry>()
  /** Connections by network, ordered by their last activity, the oldest first. */
  private readonly networks = new Map<string, Set<Client>>()
  private clock = 0

  constructor(private readonly limits: ClientLimits) {}

  get size(): number {
    return this.entries.size
  }

  /** Adds a connection, and closes an idle one at a limit. @returns false for a connection that is already broken */
  add(client: Client): boolean {
    if (client.remoteAddress === undefined) return false
    const network = networkOf(client.remoteAddress)
    const { connections, perNetwork } = this.limits
    if ((this.networks.get(network)?.size ?? 0) >= perNetwork) this.closeLongestIdle(network)
    else if (this.size >= connections) this.closeLongestIdle(this.largest())
    const members = this.networks.get(network)
    if (members === undefined) this.networks.set(network, new Set([client]))
    else members.add(client)
    this.entries.set(client, { network, active: ++this.clock })
    return true
  }

  /** Records that a query of the connection was answered. */
  touch(client: Client): void {
    const entry = this.entries.get(client)
    const members = entry && this.networks.get(entry.network)
    if (entry === undefined || members === undefined) return
    entry.active = ++this.clock
    members.delete(client)
    members.add(client)
  }

  remove(client: Client): void {
    const entry = this.entries.get(client)
    if (entry === undefined) return
    this.entries.delete(client)
    const members = this.networks.get(entry.network)
    members?.delete(client)
    if (members?.size === 0) this.networks.delete(entry.network)
  }

  closeAll(): void {
    for (const client of this.entries.keys()) client.destroy()
  }

  private closeLongestIdle(network: string): void {
    const client = this.longestIdle(network)
    if (client === undefined) return
    this.remove(client)
    client.destroy()
  }

  /** The network with the most connections; among equals, the one whose connection has been idle longest. */
  private largest(): string {
    let found = ''
    let most = 0
    let since = 0
    for (const [network, { size }] of this.networks) {
      if (size < most) continue
      const active = this.entries.get(this.longestIdle(network) as Client)?.active ?? 0
      if (size === most && active > since) continue
      found = network
      most = size
      since = active
    }
    return found
  }

  private longestIdle(network: string): Client | undefined {
    return this.networks.get(network)?.values().next().value
  }
}
