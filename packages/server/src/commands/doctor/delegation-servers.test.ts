import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from 'dns-packet'
import { pino } from 'pino'
import { freePort, startStaticNameserver } from '../../../../../test/servers/index.js'
import { startDnsServer } from '../../../test/dns-server.js'
import { findingsOf } from '../../../test/findings.js'
import { embeddedDns } from '../../ports/dns/embedded/embedded-dns.js'
import { delegationCheck } from './delegation.js'

/** A public DNS with BIND as the nameserver of .com, svc as a primary, and Knot and NSD as its secondaries. */

// BIND listens only at addresses that an interface has.
const [com, primary, knot, nsd, other] = ['127.0.0.1', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'] as const

const nameservers = ['ns1.net', 'ns2.net', 'ns3.net']

/** The addresses of the nameservers, as a resolver answers them. */
const addresses: Readonly<Record<string, string>> = {
  'a.gtld': com,
  'ns1.net': primary,
  'ns2.net': knot,
  'ns3.net': nsd,
  'ns4.net': other,
  'ns.shop.com': other,
}

/** A zone of svc as a secondary has it. */
const copy = (zone: string, serial: number, first = 'ns1.net.') =>
  [
    '$TTL 300',
    `${zone}. SOA ${first} hostmaster.${zone}. ${String(serial)} 7200 900 1209600 300`,
    ...nameservers.map((name) => `${zone}. NS ${name}.`),
    ...(zone === 'shop.com' ? ['ns.shop.com. A 127.0.0.6'] : []),
  ].join('\n') + '\n'

/** The delegations of .com. */
const delegations: Readonly<Record<string, readonly string[]>> = {
  'well.com': nameservers,
  'late.com': nameservers,
  'lame.com': nameservers,
  'more.com': [...nameservers, 'ns4.net'],
  'old.com': [...nameservers, 'ns4.net'],
  'shop.com': [...nameservers, 'ns.shop.com'],
}

const comZone = [
  '$TTL 300',
  'com. SOA a.gtld. hostmaster.com. 1 7200 900 1209600 300',
  'com. NS a.gtld.',
  ...Object.entries(delegations).flatMap(([zone, names]) => names.map((name) => `${zone}. NS ${name}.`)),
  'ns.shop.com. A 192.0.2.9',
].join('\n')

const serial = 20

const stops: (() => Promise<unknown>)[] = []
let env: Record<string, string>
let port: number
beforeAll(async () => {
  port = await freePort()
  const zones = Object.keys(delegations)
  const at = (given: Record<string, number>, but: readonly string[] = []) =>
    Object.fromEntries(
      zones.filter((zone) => !but.includes(zone)).map((zone) => [zone, copy(zone, given[zone] ?? serial)]),
    )
  const dns = await embeddedDns({
    nameservers,
    hostmaster: undefined,
    log: pino({ level: 'silent' }),
    host: primary,
    port,
    zones: zones.map((zone) => ({ zone, serial, rrsets: [] })),
  })
  stops.push(() => dns.close())
  const servers = await Promise.all([
    startStaticNameserver('named', { address: com, port, zones: { com: `${comZone}\n` } }),
    startStaticNameserver('knotd', { address: knot, port, zones: at({ 'late.com': serial - 1 }) }),
    startStaticNameserver('nsd', { address: nsd, port, zones: at({ 'late.com': serial - 2 }, ['lame.com']) }),
    startStaticNameserver('knotd', {
      address: other,
      port,
      zones: { ...at({}), 'old.com': copy('old.com', 2_026_010_101, 'ns.old-provider.net.') },
    }),
  ])
  stops.push(...servers.map(({ stop }) => stop))
  const resolver = await startDnsServer(({ name, type }) => {
    const address = addresses[name]
    const answers: Answer[] = []
    if (name === 'com' && type === 'NS') answers.push({ type: 'NS', name, data: 'a.gtld', ttl: 60 })
    if (address !== undefined && type === 'A') answers.push({ type: 'A', name, data: address, ttl: 60 })
    const soa = { mname: 'ns1.net', rname: 'h.net', serial, refresh: 1, retry: 1, expire: 1, minimum: 1 }
    if (name in delegations && type === 'SOA') answers.push({ type: 'SOA', name, data: soa, ttl: 60 })
    return { answers }
  })
  stops.push(resolver.stop)
  env = { SVC_NAMESERVERS: nameservers.join(), SVC_RESOLVERS: resolver.address }
})
afterAll(() => Promise.all(stops.map((stop) => stop())))

it.each<[string, string[]]>([
  ['well.com', ['ok well.com is delegated to ns1.net, ns2.net, ns3.net, which answer for it.']],
  [
    'late.com',
    [
      'error ns2.net (127.0.0.4) is behind in late.com: it has the serial 19, and 20 is the newest.',
      'error ns3.net (127.0.0.5) is behind in late.com: it has the serial 18, and 20 is the newest.',
    ],
  ],
  [
    'lame.com',
    ['UDP', 'TCP'].map((via) => `error ns3.net (127.0.0.5) over ${via} does not serve lame.com (lame delegation).`),
  ],
  [
    'more.com',
    [
      'warning more.com is also delegated to its secondaries ns4.net, which SVC_NAMESERVERS does not have: the NS records of the zone do not name them.',
    ],
  ],
  [
    'old.com',
    [
      'error old.com is also delegated to ns4.net, which SVC_NAMESERVERS does not have: resolvers that ask there do not get the records of svc.',
    ],
  ],
  [
    'shop.com',
    [
      expect.stringMatching(/^warning shop\.com is also delegated to its secondaries ns\.shop\.com, /),
      'error The parent of shop.com has the address 192.0.2.9 for ns.shop.com, but the zone has 127.0.0.6.',
    ],
  ],
])('finds what is wrong with %s, with Knot and NSD as secondaries', async (zone, findings) => {
  expect(await findingsOf(delegationCheck({ zones: { kind: 'one', zone }, port }), env)).toEqual(findings)
})
