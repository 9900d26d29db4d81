import type { Server } from 'node:net'
import type { Logger } from 'pino'

/** The log has at most one line in this time about connections that cannot be accepted. */
const logEveryMs = 60_000

/**
 * Keeps a server alive when it cannot accept a connection, for example without a free file descriptor (EMFILE, ENFILE). Node.js
 * reports that as an error of the server, which without a listener would end the process.
 */
export function keepAccepting(server: Server, log: Logger): void {
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
