import { pino, type Logger } from 'pino'
import type { LogLevel } from './config/settings.js'
import { LogOutput } from './log-output.js'
import { escapeJson, ignoreStderrErrors, writeStderr } from './terminal.js'

/**
 * Writes JSON lines to stdout. `flush` writes the buffered lines at once; `close` does so at the end and waits for a slow
 * reader. Both give up after a second.
 */
export function createLogger(level: LogLevel): { log: Logger; flush: () => void; close: () => Promise<void> } {
  ignoreStderrErrors()
  let told = false
  // A log that can't be written, on a full disk for one, is no reason to stop serving.
  const output = new LogOutput((error) => {
    if (!told) writeStderr(`The log cannot be written: ${error.message}\n`)
    told = true
  })
  const log = pino(
    {
      level,
      base: null,
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
      // Error messages repeat untrusted input, and the log may be read on a terminal.
      hooks: { streamWrite: escapeJson },
      serializers: { err: pino.stdSerializers.errWithCause },
    },
    output,
  )
  return {
    log,
    flush: () => {
      output.flush()
    },
    close: () => output.close(),
  }
}

/** RFC 3339, worked out once a millisecond: under load many lines share one. */
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
