import type { Deadline } from '../../../ports/dns/deadline.js'
import type { DnsProvider } from '../../../ports/dns/port.js'
import { serveStored } from './stored-zone.js'
import type { ZoneStore } from '../zones/store.js'

/**
 * Makes a zone of the provider svc's own, once its records are in the database: marks it, and gives it svc's SOA and NS.
 * @throws ApiError `upstream_error`; `svc dns sync` completes the rest
 */
export async function handOver(
  zones: Pick<ZoneStore, 'contents' | 'version'>,
  provider: DnsProvider,
  zone: string,
  deadline?: Deadline,
): Promise<void> {
  await provider.mark(zone, deadline)
  await serveStored(zones, provider, zone, deadline)
}
