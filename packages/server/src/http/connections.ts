import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../shared/network-of.js'
import { isLoopback } from '../shared/ip-address.js'
import type { TrustedProxies } from './context.js'

/**
 * An HTTP connection. `_httpMessage` is the response that Node.js is sending; queued ones come later. `_handle` tells how many bytes
 * of running writes the system has not taken yet. Both are not documented.
 */
export type HttpSocket = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null
  readonly _handle?: { readonly writeQueueSize: number } | null
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
 * Limits the connections of a server, and gives each socket an error listener: Node.js removes its listener from the sockets
 * that it hands over (CONNECT), and an error without a listener would end the process.
 */
export class Connections {
  readonly #open = new Set<HttpSocket>()
  readonly #byNetwork = new Map<string, number>()
  #unlogged = 0
  #loggedAt = -Infinity

  constructor(
    server: Server,
    private readonly options: Options,
  ) {
    const { max } = options.limits
    // Node.js refuses these before it creates a socket, which is cheapest.
    if (max > 0) server.maxConnections = max + reserved
    server.on('drop', () => {
      this.#refused()
    })
    server.on('connection', (socket: HttpSocket) => {
      socket.on('error', () => socket.destroy())
      this.#admit(socket)
    })
  }

  get open(): ReadonlySet<HttpSocket> {
    return this.#open
  }

  #admit(socket: HttpSocket): void {
    const { max, perNetwork } = this.options.limits
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const fromNetwork = this.#byNetwork.get(network) ?? 0
    const isOver = (max > 0 && this.#open.size >= max) || (perNetwork > 0 && fromNetwork >= perNetwork)
    if (isOver && !this.#isExempt(address)) {
      socket.destroy()
      this.#refused()
      return
    }
    this.#open.add(socket)
    this.#byNetwork.set(network, fromNetwork + 1)
    socket.once('close', () => {
      this.#open.delete(socket)
      const left = (this.#byNetwork.get(network) ?? 1) - 1
      if (left === 0) this.#byNetwork.delete(network)
      else this.#byNetwork.set(network, left)
    })
  }

  /** A proxy has the connections of many clients. A loopback address is always this machine. */
  #isExempt(address: string): boolean {
    return isLoopback(address) || this.options.trusted(address, 0)
  }

  #refused(): void {
    this.options.metrics?.refusedConnection()
    this.#unlogged++
    const now = performance.now()
    if (now - this.#loggedAt < logEveryMs) return
    this.options.log.warn(
      { refused: this.#unlogged, open: this.#open.size },
      'connections refused: see SVC_CONNECTIONS_MAX and SVC_CONNECTIONS_PER_NETWORK',
    )
    this.#loggedAt = now
    this.#unlogged = 0
  }
}
