import type { Logger } from 'pino'

const intervalMs = 10_000

/**
 * Logs errors that a client can cause with every packet. So that a flood does not fill the log, it writes at most one line in
 * ten seconds, with the number of errors that were omitted since the line before.
 */
export function throttledLog(log: Logger, message: string, now: () => number = () => performance.now()) {
  let next = -Infinity
  let omitted = 0
  return (error: unknown, details: Readonly<Record<string, unknown>> = {}): void => {
    if (now() < next) {
      omitted++
      return
    }
    log.error({ err: error, ...details, omitted }, message)
    next = now() + intervalMs
    omitted = 0
  }
}
