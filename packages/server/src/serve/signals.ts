import type { Logger } from 'pino'
import { endProcess } from './end.js'

/** A second signal this soon is the same key press: npm passes Ctrl-C on to a child that the terminal has told already. */
const sameKeyPressMs = 500

const stopSignals = { SIGINT: 2, SIGTERM: 15 } as const

/** Resolves at the first signal to stop; at the next one the process ends at once, as if nothing caught it. */
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

/** A bug that nothing caught leaves the process in a state nobody knows: it is logged whole, and the process ends. */
export function endOnBugs(log: Logger, flush: () => void): void {
  const end = (what: string) => (err: unknown) => {
    log.fatal({ err }, what)
    flush()
    process.exit(1)
  }
  process.on('uncaughtException', end('uncaught exception'))
  process.on('unhandledRejection', end('unhandled rejection'))
}
