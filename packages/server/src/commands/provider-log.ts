import { pino, type Logger } from 'pino'
import { escapeJson } from '../terminal.js'

/** Where a DNS provider's failures go in a command: JSON lines on stderr, beside what the command itself says. */
export const providerLog = (): Logger =>
  pino({ level: 'error', base: null, hooks: { streamWrite: escapeJson } }, pino.destination({ dest: 2, sync: true }))
