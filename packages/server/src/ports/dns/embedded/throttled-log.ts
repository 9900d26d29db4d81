import type { Logger } from 'pino'

const everyMs = 10_000

/**
 * Logs errors that a client can cause with every packet: the first one, and then one in ten seconds with the number of those
 * that were left out, so that a flood does not fill the log.
 */
export function sparingLog(log: Logger, message: string, now: () => number = () => performance.now()) {
  let next = -Infinity
  let omitted = 0
  return (error: unknown, details: Readonly<Record<string, unknown>> = {}): void => {
    if (now() < next) {
      omitted++
      return
    }
    log.error({ err: error, ...details, omitted }, message)
    next = now() + everyMs
    omitted = 0
  }
}
