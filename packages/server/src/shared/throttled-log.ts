import type { Logger } from 'pino'

const defaultIntervalMs = 10_000

/**
 * Logs errors that a client can cause with every packet or request. So that a flood does not fill the log, it writes at most one line
 * in ten seconds, or in `everyMs`, with the number of errors that were omitted since the line before.
 */
export function throttledLog(
  log: Logger,
  message: string,
  {
    everyMs = defaultIntervalMs,
    now = () => performance.now(),
  }: { readonly everyMs?: number; readonly now?: () => number } = {},
) {
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
