import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import { endProcess } from './end.js'

/** A second signal within this time is the same key press: both the terminal and npm send Ctrl-C to the process. */
const sameKeyPressMs = 500

const stopSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Resolves at the first signal to stop. The next signal ends the process at once, as without a handler.
 * @param onHangup called at SIGHUP in a process without a terminal, which goes on: there SIGHUP is the order to reload of a supervisor
 *   or of logrotate, or comes from the terminal that `nohup` has detached. With a terminal it says that the terminal was closed: a stop.
 */
export function stopSignal(onHangup: () => void = () => undefined): Promise<NodeJS.Signals> {
  const isDetached = ![0, 1, 2].some((descriptor) => isatty(descriptor))
  return new Promise((resolve) => {
    let first: number | undefined
    for (const [name, number] of Object.entries(stopSignals))
      process.on(name as NodeJS.Signals, () => {
        if (name === 'SIGHUP' && isDetached) {
          onHangup()
          return
        }
        first ??= performance.now()
        resolve(name as NodeJS.Signals)
        if (performance.now() - first > sameKeyPressMs) void endProcess(128 + number)
      })
  })
}

/** Logs an uncaught error with its stack and ends the process, whose state is unknown from then on. */
export function endOnBugs(log: Logger, flush: () => void): void {
  const end = (what: string) => (err: unknown) => {
    log.fatal({ err }, what)
    flush()
    process.exit(1)
  }
  process.on('uncaughtException', end('uncaught exception'))
  process.on('unhandledRejection', end('unhandled rejection'))
}
