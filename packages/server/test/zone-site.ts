import type { Answer as DnsRecord } from 'dns-packet'
import { expect } from 'vitest'
import type { Config, DnsConfig } from '../src/config.js'
import type { Account } from '../src/shared/account.js'
import type { Answer, DatabaseKind } from './app.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from './dns-server.js'
import { startSite, type Site } from './site.js'

/** What zones are to be delegated to here. */
export const expected_ns = ['ns1.svc.example', 'ns2.svc.example']

export type Who = 'ada' | 'bob' | 'cy'

/** A server with three accounts, and a resolver that says of the world what a test tells it. */
export interface ZoneSite {
  readonly site: Site
  readonly resolver: DnsServer
  readonly accounts: Record<Who, Account>
  readonly tokens: Record<Who, string>
  /** @param path behind /v1/dns/zones */
  readonly call: (who: Who, method: string, path: string, body?: unknown) => Promise<Answer>
  readonly claim: (who: Who, zone: string) => Promise<Answer>
  readonly get: (who: Who, zone: string) => Promise<Answer>
  readonly verify: (who: Who, zone: string) => Promise<Answer>
  readonly release: (who: Who, zone: string) => Promise<Answer>
  /** What is at the place of a zone's challenge: TXT records, or something else. NXDOMAIN for the rest of the world. */
  readonly publish: (zone: string, said: readonly string[] | DnsResponse) => void
  /** What a zone's NS records are. */
  readonly delegate: (zone: string, ...names: string[]) => void
  readonly stop: () => Promise<void>
}

export const dnsSettings = (resolvers: readonly string[]): DnsConfig => ({
  host: ['127.0.0.1'],
  port: 0,
  rateLimit: 0,
  recordsMax: 100,
  zoneBytesMax: 4_000_000,
  zonesMax: 1000,
  nameservers: expected_ns,
  hostmaster: undefined,
  resolvers,
  provider: { kind: 'embedded' },
})

export async function startZoneSite(kind: DatabaseKind, overrides: Partial<Config> = {}): Promise<ZoneSite> {
  const world = new Map<string, DnsResponse>()
  const resolver = await startDnsServer(({ type, name }) => world.get(`${type} ${name}`) ?? { rcode: rcodes.nxdomain })
  const site = await startSite(kind, { dns: dnsSettings([resolver.address]), ...overrides })
  const account = (who: Who) => site.account(`${who}@example.com`)
  const accounts = { ada: await account('ada'), bob: await account('bob'), cy: await account('cy') }
  const token = (who: Who) => site.token(accounts[who], 'dns:write')
  const tokens = { ada: await token('ada'), bob: await token('bob'), cy: await token('cy') }

  const call = (who: Who, method: string, path: string, body?: unknown) =>
    site.call(method, `/v1/dns/zones${path}`, { token: tokens[who], body })
  const at = (zone: string) => `/${encodeURIComponent(zone)}`
  const says = (type: 'TXT' | 'NS', name: string, values: readonly string[]) =>
    world.set(`${type} ${name}`, { answers: values.map((data): DnsRecord => ({ type, name, data, ttl: 60 })) })
  return {
    site,
    resolver,
    accounts,
    tokens,
    call,
    claim: (who, zone) => call(who, 'POST', '', { zone }),
    get: (who, zone) => call(who, 'GET', at(zone)),
    verify: (who, zone) => call(who, 'POST', `${at(zone)}/verify`),
    release: (who, zone) => call(who, 'DELETE', at(zone)),
    publish: (zone, said) => {
      const name = `_svcdns-verify.${zone}`
      if (Array.isArray(said)) says('TXT', name, said as string[])
      else world.set(`TXT ${name}`, said as DnsResponse)
    },
    delegate: (zone, ...names) => void says('NS', zone, names),
    stop: async () => {
      await site.stop()
      await resolver.stop()
    },
  }
}

/** The data of an answer that went well. */
export function dataOf({ status, body }: Answer): Record<string, unknown> {
  expect(status).toBe(200)
  return body['data'] as Record<string, unknown>
}
