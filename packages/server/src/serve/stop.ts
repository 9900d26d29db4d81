import type { Socket } from 'node:net'
import type { Server } from 'node:http'
import type { Logger } from 'pino'

/** When running requests are cut off, and when the process ends even if a part hangs. Docker sends SIGKILL after ten seconds. */
const graceMs = 9_000
const lastMs = 9_700

/** How often idle connections are closed. */
const sweepMs = 50

/** A server that can be stopped. `close` stops listening, waits for running requests until `giveUp` is aborted, then closes the rest. */
export interface Stoppable {
  readonly server: Server
  readonly close: (giveUp: AbortSignal) => Promise<void>
}

/** Stops a server gracefully. Create it before the server listens. */
export class GracefulStop {
  readonly #sockets = new Set<Socket>()

  constructor(
    private readonly running: Stoppable,
    private readonly log: Logger,
    private readonly limits: { readonly graceMs: number; readonly lastMs: number } = { graceMs, lastMs },
  ) {
    running.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    spareUnsentAnswers(running.server, this.#sockets)
  }

  /** Resolves when everything is closed, if necessary by force, and at the latest after `lastMs`. */
  async stop(): Promise<void> {
    const { close } = this.running
    const sweeps = setInterval(() => this.#closeIdle(), sweepMs)
    const giveUp = new AbortController()
    const force = setTimeout(() => {
      this.log.warn({ connections: this.#sockets.size }, 'requests still running are cut off')
      // Not with closeAllConnections(): it does not know the sockets that Node.js has handed over (CONNECT).
      for (const socket of this.#sockets) socket.destroy()
      giveUp.abort()
    }, this.limits.graceMs)
    let last: NodeJS.Timeout | undefined
    const tooLate = new Promise<void>((resolve) => {
      last = setTimeout(() => {
        this.log.error('not everything could be closed in time')
        resolve()
      }, this.limits.lastMs)
    })
    try {
      const closed = close(giveUp.signal)
      this.#closeIdle()
      await Promise.race([closed, tooLate])
    } finally {
      clearInterval(sweeps)
      clearTimeout(force)
      clearTimeout(last)
    }
  }

  /** Closes connections that are kept alive after an answer, and those that browsers open in advance. */
  #closeIdle(): void {
    this.running.server.closeIdleConnections()
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Prevents closeIdleConnections(), which close() calls too, from cutting off answers. For Node.js a connection is idle once its
 * answer is handed to the socket, although the client may not have read it yet.
 */
function spareUnsentAnswers(server: Server, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const sending = [...sockets].filter((socket) => socket.writableLength > 0)
    // Only Node.js knows which connections are idle.
    for (const socket of sending) socket.destroy = () => socket
    closeIdle()
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
  }
}
