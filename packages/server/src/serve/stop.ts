import type { Socket } from 'node:net'
import type { Server } from 'node:http'
import type { Logger } from 'pino'

/** How long what runs may go on, and when the process ends whatever still hangs: together under ten seconds. */
const graceMs = 9_000
const lastMs = 9_700

/** How often connections that have become idle are looked for. */
const sweepMs = 50

/**
 * What is stopped: `close` stops listening, waits for the running requests, then closes the rest. Once `giveUp` is
 * aborted it waits no longer.
 */
export interface Stoppable {
  readonly server: Server
  readonly close: (giveUp: AbortSignal) => Promise<void>
}

/** Stops a server in good order; made before it listens. */
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

  /** Resolves when all is closed, by force where it must be: never later than `lastMs`. */
  async stop(): Promise<void> {
    const { close } = this.running
    const sweeps = setInterval(() => this.#closeIdle(), sweepMs)
    const giveUp = new AbortController()
    const force = setTimeout(() => {
      this.log.warn({ connections: this.#sockets.size }, 'requests still running are cut off')
      // Not by the server's closeAllConnections(): it does not know the sockets that Node.js has handed over.
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

  /** A connection is kept alive after its answer, and browsers open some ahead of need: neither has anything to finish. */
  #closeIdle(): void {
    this.running.server.closeIdleConnections()
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Keeps closeIdleConnections() from cutting off answers. Node.js, whose close() calls it too, takes a connection for idle once its
 * answer is handed to the socket, however much of it the client has yet to read.
 */
function spareUnsentAnswers(server: Server, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const sending = [...sockets].filter((socket) => socket.writableLength > 0)
    // Which connections are idle is known to Node.js alone.
    for (const socket of sending) socket.destroy = () => socket
    closeIdle()
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
  }
}
