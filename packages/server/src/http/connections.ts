import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../shared/network-of.js'
import { isLoopback } from '../shared/ip-address.js'
import type { TrustedProxies } from './context.js'

/**
 * An HTTP connection. `_httpMessage` is the response that Node.js is sending; queued ones come later. `_handle` tells how many bytes
 * of running writes the system has not taken yet; with TLS, `_parent` has the encrypted ones. All are not documented.
 */
export type HttpSocket = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null
  readonly _handle?: (WriteQueue & { readonly _parent?: WriteQueue | null }) | null
  /** True for a connection with TLS. */
  readonly encrypted?: boolean
}

interface WriteQueue {
  readonly writeQueueSize: number
}

/** How many connections may be open at a time; 0 for no limit. */
export interface ConnectionLimits {
  readonly max: number
  /** From one network, see `networkOf`. */
  readonly perNetwork: number
}

/** Connections beyond `max` for the operator's proxies and this machine, so that probes get through during a flood. */
const reserved = 32

/** The log has at most one line in this time about connections that are refused or cannot be accepted. */
const logEveryMs = 60_000

/**
 * Keeps a server alive when it cannot accept a connection, for example without a free file descriptor (EMFILE, ENFILE). Node.js
 * reports that as an error of the server, which without a listener would end the process.
 */
export function keepAccepting(server: NetServer, log: Logger): void {
  let loggedAt = -Infinity
  server.once('listening', () => {
    server.on('error', (error) => {
      const now = performance.now()
      if (now - loggedAt < logEveryMs) return
      loggedAt = now
      log.error({ err: error }, 'connections cannot be accepted')
    })
  })
}

interface Options {
  readonly limits: ConnectionLimits
  readonly trusted: TrustedProxies
  readonly log: Logger
  /** Counts refused connections. */
  readonly metrics?: { readonly refusedConnection: () => void } | undefined
}

/**
 * Limits the connections of all HTTP ports together, and gives each socket an error listener: Node.js removes its listener from the sockets
 * that it hands over (CONNECT), and an error without a listener would end the process.
 */
export class Connections {
  readonly #open = new Set<HttpSocket>()
  readonly #byNetwork = new Map<string, number>()
  /** Open connections, also those without HTTP until now. */
  #count = 0
  #unlogged = 0
  #loggedAt = -Infinity

  /** @param server of HTTP. It is also given the connections whose handshake of TLS is over. */
  constructor(
    server: Server,
    private readonly options: Options,
  ) {
    this.limit(server)
    server.on('connection', (socket: HttpSocket) => {
      socket.on('error', () => socket.destroy())
      // With TLS, its TCP connection has been admitted before the handshake.
      if (socket.encrypted !== true && !this.admit(socket)) return
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  get open(): ReadonlySet<HttpSocket> {
    return this.#open
  }

  /** Limits how many connections a server accepts. Its connections must be admitted. */
  limit(server: NetServer): void {
    const { max } = this.options.limits
    // Node.js refuses these before it creates a socket, which is cheapest.
    if (max > 0) server.maxConnections = max + reserved
    server.on('drop', () => {
      this.#refused()
    })
  }

  /** Counts a new connection until it closes. @returns false if it is one too many, and destroyed */
  admit(socket: Socket): boolean {
    const { max, perNetwork } = this.options.limits
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const fromNetwork = this.#byNetwork.get(network) ?? 0
    const isOver = (max > 0 && this.#count >= max) || (perNetwork > 0 && fromNetwork >= perNetwork)
    if (isOver && !this.isExempt(address)) {
      socket.destroy()
      this.#refused()
      return false
    }
    this.#count++
    this.#byNetwork.set(network, fromNetwork + 1)
    socket.once('close', () => {
      this.#count--
      const left = (this.#byNetwork.get(network) ?? 1) - 1
      if (left === 0) this.#byNetwork.delete(network)
      else this.#byNetwork.set(network, left)
    })
    return true
  }

  /** A proxy has the connections of many clients. A loopback address is always this machine. */
  isExempt(address: string): boolean {
    return isLoopback(address) || this.options.trusted(address, 0)
  }

  #refused(): void {
    this.options.metrics?.refusedConnection()
    this.#unlogged++
    const now = performance.now()
    if (now - this.#loggedAt < logEveryMs) return
    this.options.log.warn(
      { refused: this.#unlogged, open: this.#count },
      'connections refused: see SVC_CONNECTIONS_MAX and SVC_CONNECTIONS_PER_NETWORK',
    )
    this.#loggedAt = now
    this.#unlogged = 0
  }
}
