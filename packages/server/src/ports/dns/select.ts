import type { Logger } from 'pino'
import type { DnsConfig } from '../../config.js'
import type { Dns, Zone } from './port.js'

interface DnsParts {
  readonly log: Logger
  /** What is to be served from the start; a provider has it already. */
  readonly zones: AsyncIterable<Zone>
}

/** The configured nameserver. Only the adapter that is configured is loaded. */
export async function selectDns(config: DnsConfig, { log, zones }: DnsParts): Promise<Dns> {
  const { provider, nameservers } = config
  switch (provider.kind) {
    case 'embedded': {
      const { embeddedDns } = await import('./embedded/embedded-dns.js')
      return embeddedDns({ ...config, log, zones })
    }
    case 'powerdns': {
      const { powerdnsDns } = await import('./powerdns/powerdns-dns.js')
      return powerdnsDns({ ...provider, nameservers, log })
    }
  }
}
