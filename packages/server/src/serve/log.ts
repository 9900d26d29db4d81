import { pino, type Logger, type LoggerOptions } from 'pino'
import type { LogLevel } from '../config/settings.js'
import { LogOutput } from './log-output.js'
import { escapeJson, ignoreStderrErrors, writeStderr } from '../shared/terminal.js'

/**
 * Creates a log of JSON lines on stdout. `flush` writes the buffered lines synchronously; `close` writes them at the end
 * and waits for a slow reader. Both give up after a second.
 */
export function createLogger(level: LogLevel): { log: Logger; flush: () => void; close: () => Promise<void> } {
  ignoreStderrErrors()
  let isReported = false
  // The server continues if the log cannot be written, for example on a full disk.
  const output = new LogOutput((error) => {
    if (!isReported) writeStderr(`The log cannot be written: ${error.message}\n`)
    isReported = true
  })
  return {
    log: pino(logOptions(level), output),
    flush: () => {
      output.flush()
    },
    close: () => output.close(),
  }
}

/** The form of the lines. */
export const logOptions = (level: LogLevel): LoggerOptions => ({
  level,
  base: null,
  timestamp: isoTime(),
  formatters: { level: (label) => ({ level: label }) },
  // Error messages repeat untrusted input, and the log may be read on a terminal.
  hooks: { streamWrite: escapeJson },
  serializers: { err: pino.stdSerializers.errWithCause },
})

/** The time in RFC 3339, formatted once a millisecond, because many lines share it under load. */
function isoTime(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}
