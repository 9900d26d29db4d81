import { startPowerDns, type PowerDns } from '../../../test/servers/index.js'
import type { DnsConfig } from '../src/config/config.js'
import type { DatabaseKind, TestApp } from './app.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from './dns-server.js'
import { startGateway, type Gateway } from './gateway.js'
import { startSite, type Site } from './site.js'
import { ownerOn, type Owner } from './zone-owner.js'
import { dnsSettings } from './zone-site.js'

/** A server with PowerDNS as its DNS provider, behind a gateway that tests can make fail. */
export interface PowerDnsSite {
  readonly site: Site
  readonly powerdns: PowerDns
  readonly gateway: Gateway
  /** Creates an account. Its `served` queries PowerDNS. */
  readonly owner: (app?: TestApp) => Promise<Owner>
  /** Responses of the resolver, by `TXT name`. NXDOMAIN for the rest. */
  readonly world: Map<string, DnsResponse>
  /** Every row of the DNS tables. */
  readonly rows: () => Promise<unknown>
  /** The records in PowerDNS: `name type ttl content`, sorted, without serials. Undefined for an unknown zone. */
  readonly held: (zone: string) => Promise<string[] | undefined>
  readonly stop: () => Promise<void>
}

/** @param more additional settings of PowerDNS @param dns those of svc */
export async function startPowerDnsSite(
  kind: DatabaseKind,
  more: Readonly<Record<string, string>> = {},
  dns: Partial<DnsConfig> = {},
): Promise<PowerDnsSite> {
  const powerdns = await startPowerDns(more)
  const gateway = await startGateway(powerdns.url)
  const world = new Map<string, DnsResponse>()
  const resolver: DnsServer = await startDnsServer(
    ({ type, name }) => world.get(`${type} ${name}`) ?? { rcode: rcodes.nxdomain },
  )
  const provider = { kind: 'powerdns', url: gateway.url, key: powerdns.key } as const
  const site = await startSite(kind, { dns: { ...dnsSettings([resolver.address]), ...dns, provider } })
  const table = (name: string) => site.sql(`select * from ${name} order by 1, 2`)
  return {
    site,
    powerdns,
    gateway,
    world,
    owner: (app = site) => ownerOn({ ...app, dnsPort: powerdns.dnsPort }),
    rows: async () => [await table('dns_zone'), await table('dns_claim'), await table('dns_record')],
    held: (zone) => heldBy(powerdns, zone),
    stop: async () => {
      await site.stop()
      await gateway.close()
      await resolver.stop()
      await powerdns.stop()
    },
  }
}

interface Held {
  readonly rrsets: readonly { name: string; type: string; ttl: number; records: readonly { content: string }[] }[]
}

export async function heldBy(powerdns: PowerDns, zone: string): Promise<string[] | undefined> {
  const { status, json } = await powerdns.call('GET', `/zones/${zone}.`)
  if (status === 404) return undefined
  return (json as Held).rrsets
    .flatMap(({ name, type, ttl, records }) => records.map(({ content }) => `${name} ${type} ${ttl} ${content}`))
    .map((line) => (line.includes(' SOA ') ? line.replace(/ \d+( \d+ \d+ \d+ \d+)$/, ' serial$1') : line))
    .sort()
}

/** Replaces an RRset in PowerDNS, bypassing svc. Without contents it deletes the RRset. */
export async function setRRset(
  powerdns: PowerDns,
  zone: string,
  name: string,
  type: string,
  ...contents: string[]
): Promise<void> {
  const changetype = contents.length === 0 ? 'DELETE' : 'REPLACE'
  const records = contents.map((content) => ({ content, disabled: false }))
  const rrset = { name: `${name}.`, type, ttl: 300, changetype, records }
  const { status, json } = await powerdns.call('PATCH', `/zones/${zone}.`, { rrsets: [rrset] })
  if (status !== 204) throw new Error(`PowerDNS refused ${name} ${type}: ${JSON.stringify(json)}`)
}
