import type { Config } from '../config/config.js'
import { selectPublisher } from '../areas/dns/publishing/select.js'
import type { Publisher } from '../areas/dns/publisher.js'
import { logRestoreFailed } from '../areas/dns/publishing/restore-failed.js'
import { dnsStores } from '../areas/dns/stores.js'
import { commandZoneLock } from '../areas/dns/publishing/zone-lock.js'
import type { Database } from '../db/port.js'
import { withProvider } from './with-provider.js'

/**
 * Opens the publisher for changes of zones, and closes its provider after use. Without an external provider the changes are
 * only committed: the nameserver runs in the server, which follows the database.
 */
export const withPublisher = <R>(
  { dns }: Pick<Config, 'dns'>,
  db: Database,
  act: (publisher: Publisher) => Promise<R>,
): Promise<R> =>
  withProvider(dns, db, (provider, log) =>
    act(
      selectPublisher(provider, {
        stores: dnsStores(db, dns),
        withZoneLock: commandZoneLock(db.withLock),
        notePublished: undefined,
        reportRestoreFailed: logRestoreFailed(log),
      }),
    ),
  )
