import { afterEach, expect, it } from 'vitest'
import type { Answer } from 'dns-packet'
import { pino } from 'pino'
import { freePort } from '../../../../../test/servers/index.js'
import { findingsOf } from '../../../test/findings.js'
import { rcodes, startDnsServer, type DnsResponse } from '../../../test/dns-server.js'
import { embeddedDns } from '../../ports/dns/embedded/embedded-dns.js'
import { delegationCheck } from './delegation.js'

/** Looks at a public DNS of the test: a resolver, the nameserver of .com, and two nameservers of svc. */

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const zone = 'shop.com'
const [comAddress, address1, address2] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const

interface World {
  /** SVC_NAMESERVERS. */
  readonly nameservers: readonly string[]
  /** The nameservers of the zone at its parent. */
  readonly delegated: readonly string[]
  /** Addresses in the additional section of the parent. */
  readonly glue: Readonly<Record<string, string>>
  readonly hasDs: boolean
  /** The serials of the zone at the two nameservers; `lame` without the zone, `down` without a server. */
  readonly served: readonly (number | 'lame' | 'down')[]
  /** How the resolver answers a query for the zone. */
  readonly rcode: number | 'silence'
  readonly parent: 'answers' | 'silent'
}

const well: World = {
  nameservers: ['ns1.net', 'ns2.net'],
  delegated: ['NS1.net', 'ns2.net'],
  glue: {},
  hasDs: false,
  served: [7, 7],
  rcode: 0,
  parent: 'answers',
}

const ns = (name: string, data: string): Answer => ({ type: 'NS', name, data, ttl: 60 })
const a = (name: string, data: string): Answer => ({ type: 'A', name, data, ttl: 60 })
const soaData = { mname: 'ns1.net', rname: 'h.net', serial: 7, refresh: 1, retry: 1, expire: 1, minimum: 1 }
const soa = (name: string): Answer => ({ type: 'SOA', name, data: soaData, ttl: 60 })
const ds: Answer = {
  type: 'DS',
  name: zone,
  ttl: 60,
  data: { keyTag: 1, algorithm: 8, digestType: 2, digest: Buffer.alloc(32) },
}

function resolverFor({ nameservers, rcode }: World) {
  const [first, second] = nameservers
  const records = [
    ns('com', 'a.gtld'),
    a('a.gtld', comAddress),
    a(first!, address1),
    ...(second ? [a(second, address2)] : []),
  ]
  return ({ name, type }: { name: string; type: string }): DnsResponse => {
    if (name === zone && rcode === 'silence') return rcode
    if (name === zone) return { rcode: Number(rcode), answers: type === 'SOA' && rcode === 0 ? [soa(zone)] : [] }
    return { answers: records.filter((record) => record.name === name && record.type === type) }
  }
}

function parentFor({ delegated, glue, hasDs }: World) {
  return ({ type }: { type: string }): DnsResponse => {
    if (type === 'DS') return { isAuthoritative: true, answers: hasDs ? [ds] : [] }
    if (delegated.length === 0) return { isAuthoritative: true, rcode: rcodes.nxdomain, authorities: [soa('com')] }
    return {
      authorities: delegated.map((name) => ns(zone, name)),
      additionals: Object.entries(glue).map(([name, address]) => a(name, address)),
    }
  }
}

async function findingsIn(change: Partial<World>): Promise<string[]> {
  const world = { ...well, ...change }
  const port = await freePort()
  const resolver = await startDnsServer(resolverFor(world))
  stops.push(resolver.stop)
  if (world.parent === 'answers') stops.push((await startDnsServer(parentFor(world), comAddress, port)).stop)
  for (const [i, served] of world.served.entries()) {
    if (served === 'down') continue
    const zones = served === 'lame' ? [] : [{ zone, serial: served, rrsets: [] }]
    const options = { nameservers: world.nameservers, hostmaster: undefined, log: pino({ level: 'silent' }) }
    const dns = await embeddedDns({ ...options, host: [address1, address2][i]!, port, zones })
    stops.push(() => dns.close())
  }
  const env = { SVC_NAMESERVERS: world.nameservers.join(), SVC_RESOLVERS: resolver.address }
  return findingsOf(delegationCheck({ zones: { kind: 'one', zone }, port }), env)
}

const inside = { nameservers: ['ns1.shop.com', 'ns2.net'], delegated: ['ns1.shop.com', 'ns2.net'] }

it.each<[string, Partial<World>, string[]]>([
  ['all well', {}, ['ok shop.com is delegated to ns1.net, ns2.net, which answer for it.']],
  [
    'not delegated',
    { delegated: [] },
    ['warning shop.com is not delegated: its parent zone has no nameservers for it.'],
  ],
  [
    'delegated elsewhere',
    { delegated: ['ns.other.net'] },
    ['warning shop.com is delegated to other nameservers: ns.other.net.'],
  ],
  ['delegated in part', { delegated: ['ns1.net'] }, ['warning shop.com is delegated to ns1.net, but not to ns2.net.']],
  [
    'also delegated elsewhere',
    { delegated: ['ns1.net', 'ns2.net', 'old.net'] },
    [expect.stringMatching(/^error shop\.com is also delegated to old\.net, which SVC_NAMESERVERS does not have/)],
  ],
  ['a DS record', { hasDs: true }, [expect.stringMatching(/^error shop\.com has a DS record at its parent/)]],
  ['glue', { ...inside, glue: { 'ns1.shop.com': address1 } }, [expect.stringMatching(/^ok /)]],
  [
    'no glue',
    inside,
    ['error ns1.shop.com is inside shop.com, and the parent has no address (glue) for it: resolvers cannot find it.'],
  ],
  [
    'wrong glue',
    { ...inside, glue: { 'ns1.shop.com': '192.0.2.9' } },
    ['error The parent of shop.com has the address 192.0.2.9 for ns1.shop.com, but the zone has 127.0.0.3.'],
  ],
  [
    'a lame nameserver',
    { served: [7, 'lame'] },
    ['UDP', 'TCP'].map((via) => `error ns2.net (${address2}) over ${via} does not serve shop.com (lame delegation).`),
  ],
  [
    'a nameserver that is down',
    { served: ['down', 7] },
    ['UDP', 'TCP'].map((via) => `error The nameserver ns1.net (${address1}) over ${via} does not answer.`),
  ],
  [
    'a nameserver that the parent does not have, and that is behind',
    { delegated: ['ns1.net'], served: [9, 7] },
    [
      'warning shop.com is delegated to ns1.net, but not to ns2.net.',
      'error ns2.net (127.0.0.4) is behind in shop.com: it has the serial 7, and 9 is the newest.',
    ],
  ],
  [
    'serials around the largest one (RFC 1982)',
    { served: [0xffff_fff0, 5] },
    ['error ns1.net (127.0.0.3) is behind in shop.com: it has the serial 4294967280, and 5 is the newest.'],
  ],
  [
    'different serials',
    { served: [7, 9] },
    ['error ns1.net (127.0.0.3) is behind in shop.com: it has the serial 7, and 9 is the newest.'],
  ],
  ['a resolver that fails', { rcode: rcodes.servfail }, ['error A resolver cannot resolve shop.com (SERVFAIL).']],
  [
    'a resolver with an old answer',
    { rcode: rcodes.nxdomain },
    ['error A resolver does not find shop.com, although it is delegated.'],
  ],
  [
    'a resolver that waits for the nameservers of the zone',
    { rcode: 'silence' },
    ['error No resolver answers in time for shop.com: its nameservers, or those of its parent zone, do not answer.'],
  ],
  [
    'a silent parent',
    { parent: 'silent' },
    ['warning The delegation of shop.com is unknown: no nameserver of the parent zone com answers.'],
  ],
])('reports the delegation: %s', async (_, change, findings) => {
  expect(await findingsIn(change)).toEqual(findings)
})

const one = (name: string) => delegationCheck({ zones: { kind: 'one', zone: name } })

it.each(['home.lan', 'x.internal', '10.in-addr.arpa', '168.192.in-addr.arpa', 'd.f.ip6.arpa'])(
  'skips %s, which the public DNS does not have',
  async (name) => {
    const env = { SVC_NAMESERVERS: 'ns1.net', SVC_RESOLVERS: '127.0.0.1:9' }
    expect(await findingsOf(one(name), env)).toEqual([
      expect.stringContaining(`ok ${name} is not checked: the public DNS does not have it (`),
    ])
  },
)

it.each([
  ['names that are not public', {}, 'ok Not checked: SVC_NAMESERVERS has names that the public DNS cannot have.'],
  [
    'no resolver',
    { SVC_NAMESERVERS: 'ns1.net', SVC_RESOLVERS: '127.0.0.1:9' },
    'error Not checked: no resolver answers.',
  ],
])('says why the delegation is not checked: %s', async (_, env, finding) => {
  expect(await findingsOf(one('1.2.8.in-addr.arpa'), env)).toEqual([finding])
})

it('needs the database for the list of zones', async () => {
  const check = delegationCheck({ zones: { kind: 'first' } })
  expect(await findingsOf(check, { SVC_NAMESERVERS: 'ns1.net', SVC_RESOLVERS: '127.0.0.1:9' })).toEqual([
    'warning Not checked, because the database cannot be used.',
  ])
})
