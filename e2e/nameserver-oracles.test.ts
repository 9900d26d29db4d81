import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { embeddedDns, type EmbeddedDns } from '../packages/server/src/ports/dns/embedded/embedded-dns.js'
import type { AskOptions, Reply } from '../packages/server/test/dns-ask.js'
import { zones as hardZones } from '../packages/server/test/nameserver-zones.js'
import { nameserverClient, type NameserverClient } from './nameservers/client.js'
import { differenceOf, leaked, rules } from './nameservers/differences.js'
import { startKnot, startNsd, startPdns, type Oracle } from './nameservers/oracles.js'
import { plainZone } from './nameservers/plain-zone.js'

const zones = [...hardZones, plainZone]
const nameservers = ['ns1.example.test', 'ns2.unknown.test']
const types = [...recordTypes, 'SOA', 'DS', 'ANY', 'UNKNOWN_65280']
const transports: readonly AskOptions[] = [{}, { edns: 1232 }, { edns: 4096, dnssecOk: true }, { tcp: true }]

const upperHalf = (name: string) => name.replace(/(.)(.?)/g, (_, one: string, two: string) => one.toUpperCase() + two)

/** Existing names and a child of each, nonexistent names, names of other zones, and names in mixed case. */
function questions(): string[] {
  // One of the thirty nameservers of the same delegation is enough.
  const existing = zones
    .flatMap(({ zone, rrsets }) => [zone, ...rrsets.map(({ name }) => name)])
    .filter((name) => !/^ns[1-9]\d*\.crowd\./.test(name))
  const others = ['missing', 'down', 'a.b.missing', 'ent.wild', 'x.y.z.wild', 'x.ent.wild', 'b.round', 'x.y.chain']
  const names = new Set([
    ...existing.flatMap((name) => [name, `x.${name}`]),
    ...others.map((host) => `${host}.example.test`),
    ...['unknown.test', 'test', '.', 'xexample.test'],
    ...existing.filter((_, n) => n % 3 === 0).map(upperHalf),
  ])
  return [...names]
}

const format = ({ rcode, aa, tc, answers, authority, additional }: Reply): string => {
  const list = (records: Reply['answers']) =>
    records.map(({ name, ttl, type, value }) => `${name} ${ttl} ${type} ${value.slice(0, 60)}`).join(', ')
  return `${rcode} aa=${aa} tc=${tc} [${list(answers)}] [${list(authority)}] [${list(additional)}]`
}

let dns: EmbeddedDns
let oracles: Oracle[] = []
/** Of the embedded nameserver, and of the oracles in their order. */
let clients: NameserverClient[] = []
beforeAll(async () => {
  const log = pino({ level: 'silent' })
  dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers, log, zones })
  oracles = await Promise.all([startNsd, startKnot, startPdns].map((start) => start(zones, nameservers)))
  clients = await Promise.all([dns.addresses[0]!.port, ...oracles.map(({ port }) => port)].map(nameserverClient))
})
afterAll(async () => {
  for (const client of clients) client.close()
  await Promise.all([...oracles.map((oracle) => oracle.stop()), dns.close()])
})

interface Exchange {
  readonly name: string
  readonly type: string
  readonly transport: AskOptions
  readonly ours: Reply
  /** The replies of the others, by their names. */
  readonly theirs: ReadonlyMap<string, Reply>
}

/** Asks every nameserver every question. */
async function exchangeAll(): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  for (const name of questions())
    for (const type of types)
      for (const transport of transports) {
        const [ours, ...others] = await Promise.all(clients.map((client) => client.ask(name, type, transport)))
        const theirs = new Map(oracles.map((oracle, n) => [oracle.name, others[n]!]))
        exchanges.push({ name, type, transport, ours: ours!, theirs })
      }
  return exchanges
}

describe('the embedded nameserver answers like other nameservers', () => {
  const differences = new Map<string, number>()
  const byLength = [...zones].sort((a, b) => b.zone.length - a.zone.length)
  let exchanges: readonly Exchange[]
  beforeAll(async () => {
    exchanges = await exchangeAll()
  }, 240_000)

  it.each(['nsd', 'knot', 'powerdns'])('the embedded nameserver answers like %s', (oracle) => {
    const unexplained: string[] = []
    // Not one call of `expect` for each of thousands of exchanges: it takes as long as the exchange.
    const broken: string[] = []
    for (const exchange of exchanges) {
      const { name, type, transport, ours } = exchange
      const theirs = exchange.theirs.get(oracle)!
      // Resolvers check that the reply repeats the question in the same case (draft-vixie-dnsext-dns0x20).
      const isSameQuestion = ours.question === theirs.question
      const isSameEdns = (ours.edns === undefined) === (theirs.edns === undefined)
      if (!isSameQuestion || !isSameEdns || leaked({ name, zones: byLength, ours }).length > 0)
        broken.push(`${name} ${type} ${JSON.stringify(transport)}\n svc ${format(ours)}\n ${oracle} ${format(theirs)}`)
      const difference = differenceOf({ oracle, name, type, zones: byLength, ours, theirs })
      if (difference === undefined) continue
      differences.set(difference, (differences.get(difference) ?? 0) + 1)
      if (difference !== 'unexplained') continue
      unexplained.push(
        `${name} ${type} ${JSON.stringify(transport)}\n svc ${format(ours)}\n ${oracle} ${format(theirs)}`,
      )
    }
    expect(broken).toEqual([])
    expect(unexplained).toEqual([])
    expect(exchanges.length).toBeGreaterThan(5000)
  })

  it('every rule for an allowed difference applied at least once', () => {
    expect(rules.map(({ id }) => id).filter((id) => !differences.has(id))).toEqual([])
  })
})
