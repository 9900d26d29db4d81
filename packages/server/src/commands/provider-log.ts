import { pino, type Logger } from 'pino'
import { escapeJson } from '../terminal.js'

/** Logs the failures of a DNS provider during a command: JSON lines on stderr, between the command's messages. */
export const providerLog = (): Logger =>
  pino({ level: 'error', base: null, hooks: { streamWrite: escapeJson } }, pino.destination({ dest: 2, sync: true }))
