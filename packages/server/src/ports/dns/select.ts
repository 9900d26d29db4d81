import type { Logger } from 'pino'
import type { ApexSettings } from './apex.js'
import type { EmbeddedDnsOptions } from './embedded/embedded-dns.js'
import type { Dns, DnsProvider, Zone } from './port.js'

/** The parsed setting `SVC_DNS`: the server that serves the zones. */
export type DnsProviderConfig =
  | { readonly kind: 'embedded' }
  /** @property url scheme, host and port of its HTTP API */
  | { readonly kind: 'powerdns'; readonly url: string; readonly key: string }

interface ProviderSettings extends ApexSettings {
  readonly provider: DnsProviderConfig
}

interface DnsSettings extends ProviderSettings, Pick<EmbeddedDnsOptions, 'host' | 'port' | 'rateLimit'> {}

interface DnsDependencies {
  readonly log: Logger
  /** The id of this installation: marks the zones that svc creates in an external provider. */
  readonly installation: string
  /** The zones that the embedded nameserver loads at its start. An external provider already has them. */
  readonly zones: AsyncIterable<Zone>
}

/** Opens the configured nameserver. Imports only the configured adapter. */
export async function selectDns(config: DnsSettings, { log, installation, zones }: DnsDependencies): Promise<Dns> {
  const provider = await selectProvider(config, { log, installation })
  if (provider !== undefined) return provider
  const { embeddedDns } = await import('./embedded/embedded-dns.js')
  return embeddedDns({ ...config, log, zones })
}

/** Opens the configured external provider; undefined for the embedded nameserver, which only its own process can change. */
export async function selectProvider(
  { provider, nameservers, hostmaster }: ProviderSettings,
  { log, installation }: Omit<DnsDependencies, 'zones'>,
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
