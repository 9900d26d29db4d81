import type { Logger } from 'pino'
import { endProcess } from './end.js'

/** A second signal within this time is the same key press: both the terminal and npm send Ctrl-C to the process. */
const sameKeyPressMs = 500

const stopSignals = { SIGINT: 2, SIGTERM: 15 } as const

/** Resolves at the first signal to stop. The next signal ends the process at once, as without a handler. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    for (const [name, number] of Object.entries(stopSignals))
      process.on(name as NodeJS.Signals, () => {
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
