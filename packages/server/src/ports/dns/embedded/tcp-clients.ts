import { networkOf } from '../../../network-of.js'

/** A connection, as far as the limits need it. */
export interface Client {
  /** Undefined for a connection that has broken already. */
  readonly remoteAddress?: string | undefined
  destroy(): unknown
}

export interface ClientLimits {
  readonly connections: number
  /** Of these, how many one network (/24, /64) may hold. */
  readonly perNetwork: number
}

interface Entry {
  readonly network: string
  /** When it was last active, as a count of all activity. */
  active: number
}

/**
 * The TCP connections of the nameserver, counted by network: an attacker has many addresses of one network, and seldom many
 * networks. There is always room for a new connection. Where a limit is reached, the connection that has been idle
 * longest is closed to make room (RFC 7766, sections 6.2.2 and 10): that of the same network, or of the network that holds most.
 */
export class TcpClients {
  private readonly entries = new Map<Client, Entry>()
  /** Connections by network, the one that has been idle longest first. */
  private readonly networks = new Map<string, Set<Client>>()
  private clock = 0

  constructor(private readonly limits: ClientLimits) {}

  get size(): number {
    return this.entries.size
  }

  /** @returns false for a connection that has broken already */
  add(client: Client): boolean {
    if (client.remoteAddress === undefined) return false
    const network = networkOf(client.remoteAddress)
    const { connections, perNetwork } = this.limits
    if ((this.networks.get(network)?.size ?? 0) >= perNetwork) this.closeIdle(network)
    else if (this.size >= connections) this.closeIdle(this.largest())
    const members = this.networks.get(network)
    if (members === undefined) this.networks.set(network, new Set([client]))
    else members.add(client)
    this.entries.set(client, { network, active: ++this.clock })
    return true
  }

  /** Tells that a query of the connection was answered. */
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

  private closeIdle(network: string): void {
    const client = this.idlest(network)
    if (client === undefined) return
    this.remove(client)
    client.destroy()
  }

  /** The network with most connections; of several, the one with the connection that has been idle longest. */
  private largest(): string {
    let found = ''
    let most = 0
    let since = 0
    for (const [network, { size }] of this.networks) {
      if (size < most) continue
      const active = this.entries.get(this.idlest(network) as Client)?.active ?? 0
      if (size === most && active > since) continue
      found = network
      most = size
      since = active
    }
    return found
  }

  private idlest(network: string): Client | undefined {
    return this.networks.get(network)?.values().next().value
  }
}
