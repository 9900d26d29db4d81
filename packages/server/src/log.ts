import { pino, type Logger } from 'pino'
import type { LogLevel } from './config/settings.js'
import { escapeJson, writeStderr } from './terminal.js'

/** Bytes gathered before they are written, and how long at most: a write for each line would cost more than the line. */
const gatherBytes = 12 * 1024
const gatherMs = 500

/** Lines beyond this are dropped: whoever reads the log and stalls must not fill the memory. */
const waitingBytes = 16 * 1024 * 1024

/** JSON lines on stdout. `flush` writes what waits; it happens by itself at exit. */
export function createLogger(level: LogLevel): { log: Logger; flush: () => void } {
  const stdout = pino.destination({
    dest: 1,
    sync: false,
    minLength: gatherBytes,
    periodicFlush: gatherMs,
    maxLength: waitingBytes,
  })
  let told = false
  // A log that can't be written, on a full disk for one, is no reason to stop serving.
  stdout.on('error', (error: Error) => {
    if (!told) writeStderr(`The log cannot be written: ${error.message}\n`)
    told = true
  })
  const log = pino(
    {
      level,
      base: null,
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
      // Messages of errors repeat what came from outside, and the log may be read on a terminal.
      hooks: { streamWrite: escapeJson },
      serializers: { err: pino.stdSerializers.errWithCause },
    },
    stdout,
  )
  return { log, flush: () => stdout.flushSync() }
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
