import type { Answer as DnsRecord } from 'dns-packet'
import { expect } from 'vitest'
import type { Config, DnsConfig } from '../src/config/config.js'
import type { Account } from '../src/shared/account.js'
import type { Answer, DatabaseKind } from './app.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from './dns-server.js'
import { startSite, type Site } from './site.js'

/** The nameservers that a zone must be delegated to. */
export const expected_ns = ['ns1.svc.example', 'ns2.svc.example']

export type Person = 'ada' | 'bob' | 'cy'

/** A server with three accounts, and a resolver whose responses a test sets. */
export interface ZoneSite {
  readonly site: Site
  readonly resolver: DnsServer
  readonly accounts: Record<Person, Account>
  readonly tokens: Record<Person, string>
  /** @param path below /v1/dns/zones */
  readonly call: (person: Person, method: string, path: string, body?: unknown) => Promise<Answer>
  readonly claim: (person: Person, zone: string) => Promise<Answer>
  readonly get: (person: Person, zone: string) => Promise<Answer>
  readonly verify: (person: Person, zone: string) => Promise<Answer>
  readonly release: (person: Person, zone: string) => Promise<Answer>
  /** Sets the response for a zone's challenge name: TXT records, or another response. Other names get NXDOMAIN. */
  readonly publish: (zone: string, response: readonly string[] | DnsResponse) => void
  /** Sets a zone's NS records. */
  readonly delegate: (zone: string, ...names: string[]) => void
  readonly stop: () => Promise<void>
}

export const dnsSettings = (resolvers: readonly string[]): DnsConfig => ({
  host: ['127.0.0.1'],
  port: 0,
  updatePort: undefined,
  rateLimit: 0,
  recordsMax: 100,
  zoneBytesMax: 4_000_000,
  zonesMax: 1000,
  historyDays: 90,
  historyBytes: 16_000_000,
  nameservers: expected_ns,
  hostmaster: undefined,
  secondaries: undefined,
  catalog: 'catalog.invalid',
  resolvers,
  provider: { kind: 'embedded' },
})

/** @param dnsPort of the nameserver; by default one that is free */
export async function startZoneSite(
  kind: DatabaseKind,
  { dnsPort = 0, ...overrides }: Partial<Config> & { readonly dnsPort?: number } = {},
): Promise<ZoneSite> {
  const world = new Map<string, DnsResponse>()
  const resolver = await startDnsServer(({ type, name }) => world.get(`${type} ${name}`) ?? { rcode: rcodes.nxdomain })
  const site = await startSite(kind, { dns: { ...dnsSettings([resolver.address]), port: dnsPort }, ...overrides })
  const account = (person: Person) => site.account(`${person}@example.com`)
  const accounts = { ada: await account('ada'), bob: await account('bob'), cy: await account('cy') }
  const token = (person: Person) => site.token(accounts[person], 'dns:write')
  const tokens = { ada: await token('ada'), bob: await token('bob'), cy: await token('cy') }

  const call = (person: Person, method: string, path: string, body?: unknown) =>
    site.call(method, `/v1/dns/zones${path}`, { token: tokens[person], body })
  const pathOf = (zone: string) => `/${encodeURIComponent(zone)}`
  const setRecords = (type: 'TXT' | 'NS', name: string, values: readonly string[]) =>
    world.set(`${type} ${name}`, { answers: values.map((data): DnsRecord => ({ type, name, data, ttl: 60 })) })
  return {
    site,
    resolver,
    accounts,
    tokens,
    call,
    claim: (person, zone) => call(person, 'POST', '', { zone }),
    get: (person, zone) => call(person, 'GET', pathOf(zone)),
    verify: (person, zone) => call(person, 'POST', `${pathOf(zone)}/verify`),
    release: (person, zone) => call(person, 'DELETE', pathOf(zone)),
    publish: (zone, response) => {
      const name = `_svcdns-verify.${zone}`
      if (Array.isArray(response)) setRecords('TXT', name, response as string[])
      else world.set(`TXT ${name}`, response as DnsResponse)
    },
    delegate: (zone, ...names) => void setRecords('NS', zone, names),
    stop: async () => {
      await site.stop()
      await resolver.stop()
    },
  }
}

/** The data of a successful answer. */
export function dataOf({ status, body }: Answer): Record<string, unknown> {
  expect(status).toBe(200)
  return body['data'] as Record<string, unknown>
}
