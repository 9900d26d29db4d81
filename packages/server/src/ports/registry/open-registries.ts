import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import { topLevelOf } from '../dns/domain-names.js'
import { guardedConnections } from '../outbound/guarded-connections.js'
import type { NameAddresses } from '../outbound/name-addresses.js'
import { LiveRegistries } from './live-registries.js'
import { networkRegistry } from './network-registry.js'
import { Pace } from './pace.js'
import type { Registration } from './port.js'
import { LiveRdapServers } from './rdap/live-rdap-servers.js'
import { rdapClient } from './rdap/rdap-client.js'
import { whoisClient } from './whois/whois-client.js'

export interface RegistriesConfig {
  /** Base URL, with a slash at its end, of an RDAP server for all top-level domains; undefined for those of IANA's list. It may have a private address. */
  readonly rdapUrl: string | undefined
  /** `host:port` of the WHOIS server to ask instead of the registries' servers; it may have a private address. */
  readonly whois: string | undefined
}

export interface OpenRegistriesOptions extends RegistriesConfig {
  readonly db: Database
  readonly log: Pick<Logger, 'warn'>
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  /** For tests. */
  readonly now?: () => number
  readonly addressesOf?: NameAddresses
  readonly whoisPort?: number
  readonly deadlineMs?: number
}

/** Connects the parts of the registries. Does not use the network before the first look-up. */
export function openRegistries(options: OpenRegistriesOptions): LiveRegistries {
  const { db, log, rdapUrl, whois, whoisPort } = options
  // As URLs of requests are written.
  const trustedUrl = rdapUrl === undefined ? undefined : new URL(rdapUrl).href
  const connections = guardedConnections({ ...options, trustedUrl })
  const iana = new LiveRdapServers({ db, log, connections })
  const pace = new Pace(log)
  const server = whois === undefined ? undefined : whoisServer(whois)
  const isFallback = ({ source, domain }: Registration) =>
    source === 'whois' && (rdapUrl !== undefined || iana.has(topLevelOf(domain)))
  const ask = networkRegistry({
    pace,
    rdap: rdapClient(connections),
    whois: whoisClient({
      pace,
      lookup: connections.lookup,
      server,
      ...(whoisPort === undefined ? {} : { port: whoisPort }),
    }),
    rdapServersOf: (topLevel, signal) => (rdapUrl === undefined ? iana.serversOf(topLevel, signal) : [rdapUrl]),
  })
  return new LiveRegistries({ ...options, ask, isFallback })
}

/** @param hostPort `host:port`, or `[ip]:port` */
function whoisServer(hostPort: string): { host: string; port: number } {
  const at = hostPort.lastIndexOf(':')
  return { host: hostPort.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(hostPort.slice(at + 1)) }
}
