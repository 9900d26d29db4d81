import type { Logger } from 'pino'
import type { DnsConfig } from '../../config.js'
import type { Dns, DnsProvider, Zone } from './port.js'

interface DnsParts {
  readonly log: Logger
  /** The id of this installation: marks the zones that svc makes in an external provider. */
  readonly installation: string
  /** What is to be served from the start; a provider has it already. */
  readonly zones: AsyncIterable<Zone>
}

/** The configured nameserver. Only the adapter that is configured is loaded. */
export async function selectDns(config: DnsConfig, { log, installation, zones }: DnsParts): Promise<Dns> {
  const provider = await selectProvider(config, { log, installation })
  if (provider !== undefined) return provider
  const { embeddedDns } = await import('./embedded/embedded-dns.js')
  return embeddedDns({ ...config, log, zones })
}

/** The configured server of somebody else; undefined for the embedded one, which nobody reaches but its own process. */
export async function selectProvider(
  { provider, nameservers, hostmaster }: DnsConfig,
  { log, installation }: Omit<DnsParts, 'zones'>,
): Promise<DnsProvider | undefined> {
  switch (provider.kind) {
    case 'embedded':
      return undefined
    case 'powerdns': {
      const { powerdnsDns } = await import('./powerdns/powerdns-dns.js')
      return powerdnsDns({ ...provider, nameservers, hostmaster, log, installation })
    }
  }
}
