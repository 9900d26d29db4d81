import { pino, type Logger } from 'pino'
import { installationId } from '../db/installation-store.js'
import type { DnsConfig } from '../config/config.js'
import type { Database } from '../db/port.js'
import type { DnsProvider } from '../ports/dns/port.js'
import { selectProvider } from '../ports/dns/select.js'
import { escapeJson } from '../shared/terminal.js'

/** Failures of a provider or of the blob store are JSON lines on stderr, between the command's messages. */
export const commandLog = (): Logger =>
  pino({ level: 'error', base: null, hooks: { streamWrite: escapeJson } }, pino.destination({ dest: 2, sync: true }))

/** Opens the external DNS provider (undefined if not configured), and closes it after use. Its failures are logged to stderr. */
export async function withProvider<R>(
  dns: DnsConfig,
  db: Database,
  act: (provider: DnsProvider | undefined, log: Logger) => Promise<R>,
): Promise<R> {
  const log = commandLog()
  const provider = await selectProvider(dns, { log, installation: await installationId(db) })
  try {
    return await act(provider, log)
  } finally {
    await provider?.close()
  }
}
