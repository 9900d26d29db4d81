import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, exchangeUdp, queryPacket } from '../../../../test/dns-ask.js'
import type { Zone } from '../port.js'
import { zoneOutcomes, type QueryCounts } from '../query-counts.js'
import { TsigSigner } from '../wire/tsig.js'
import { Answerer } from './answer.js'
import { ApexRecords } from './apex-records.js'
import { embeddedDns, type EmbeddedDns } from './embedded-dns.js'
import { udpMax } from './reply.js'
import { ZoneMap } from './zone-map.js'
import { Zones } from './zones.js'

const log = pino({ level: 'silent' })
const record = (value: string) => ({ value, priority: null })

const shop = (holder: number | null, serial = 1): Zone => ({
  zone: 'shop.test',
  serial,
  holder,
  rrsets: [
    { name: 'shop.test', type: 'A', ttl: 60, records: [record('192.0.2.1')] },
    { name: 'sub.shop.test', type: 'NS', ttl: 60, records: [record('ns.example.net')] },
    { name: 'long.shop.test', type: 'TXT', ttl: 60, records: [record('x'.repeat(2000))] },
    { name: 'alias.shop.test', type: 'CNAME', ttl: 60, records: [record('missing.shop.test')] },
  ],
})

/** The counts that are not 0, by zone and holder. */
const taken = (counts: QueryCounts) =>
  Object.fromEntries(
    counts
      .take()
      .map(({ zone, holder, counts: all }) => [
        `${zone} of ${String(holder)}`,
        Object.fromEntries(zoneOutcomes.map((name, at) => [name, all[at]] as const).filter(([, count]) => count !== 0)),
      ]),
  )

const totals = (counts: QueryCounts) =>
  Object.fromEntries(
    counts
      .totals()
      .flatMap(({ transport, outcome, count }) => (count === 0 ? [] : [[`${transport} ${outcome}`, count]])),
  )

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function serve(...zones: Zone[]): Promise<{ dns: EmbeddedDns; port: number }> {
  const dns = await embeddedDns({
    host: '127.0.0.1',
    port: 0,
    nameservers: ['ns1.test'],
    hostmaster: undefined,
    log,
    zones,
  })
  stops.push(() => dns.close())
  return { dns, port: dns.addresses[0]?.port ?? 0 }
}

describe('the counts of the nameserver', () => {
  it.each([
    ['shop.test', 'A', 'answers'],
    ['shop.test', 'SOA', 'answers'],
    ['shop.test', 'MX', 'no_data'],
    ['missing.shop.test', 'A', 'nxdomain'],
    ['alias.shop.test', 'A', 'nxdomain'],
    ['www.sub.shop.test', 'A', 'referrals'],
    ['long.shop.test', 'TXT', 'truncated'],
  ])('%s %s counts as %s', async (name, type, outcome) => {
    const { dns, port } = await serve(shop(7))
    await ask(port, name, type)
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { [outcome]: 1 } })
    expect(totals(dns.queryCounts)).toEqual({ [`udp ${outcome}`]: 1 })
  })

  it('a long answer over TCP is no truncated one', async () => {
    const { dns, port } = await serve(shop(7))
    await ask(port, 'long.shop.test', 'TXT', { tcp: true })
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { answers: 1 } })
    expect(totals(dns.queryCounts)).toEqual({ 'tcp answers': 1 })
  })

  it('queries for released and unknown zones are only in the totals', async () => {
    const { dns, port } = await serve(shop(null))
    await ask(port, 'shop.test', 'A')
    await ask(port, 'unknown.test', 'A')
    expect(dns.queryCounts.take()).toEqual([])
    expect(totals(dns.queryCounts)).toEqual({ 'udp answers': 1, 'udp refused': 1 })
  })

  it('a refused query from this machine counts once, although it may be about the catalog', async () => {
    const { dns, port } = await serve(shop(7))
    const handlers = { answer: () => undefined }
    dns.answerProtocols({ keys: { byName: async () => undefined }, handlers })
    for (const tcp of [false, true]) expect((await ask(port, 'unknown.test', 'A', { tcp })).rcode).toBe('REFUSED')
    expect(totals(dns.queryCounts)).toEqual({ 'udp refused': 1, 'tcp refused': 1 })
  })

  it('a refused signature counts as refused, and a handler that throws as failed', async () => {
    const { dns, port } = await serve(shop(7))
    const key = { name: 'ns2', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) } as const
    const broken = async () => {
      throw new Error('made by the test')
    }
    const keys = { byName: async (name: string) => (name === 'ns2' ? { ...key, signer: () => undefined } : undefined) }
    dns.answerProtocols({ keys, handlers: { notify: broken } })
    const now = Math.floor(Date.now() / 1000)
    const question = queryPacket('shop.test', 'A')
    for (const by of [{ ...key, name: 'unknown' }, { ...key, secret: Buffer.alloc(32) }, key])
      await exchangeUdp(new TsigSigner(by).sign(question, now), port)
    const notify = queryPacket('shop.test', 'SOA')
    notify.writeUInt8(4 << 3, 2)
    await exchangeUdp(notify, port)
    expect(totals(dns.queryCounts)).toEqual({ 'udp refused': 3, 'udp failed': 1 })
  })

  it('a query counts for the account that holds the zone at that time', async () => {
    const { dns, port } = await serve(shop(7))
    await ask(port, 'shop.test', 'A')
    await dns.setZone(shop(7, 2))
    await ask(port, 'shop.test', 'A')
    await dns.setZone(shop(8, 3))
    await ask(port, 'shop.test', 'MX')
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { answers: 2 }, 'shop.test of 8': { no_data: 1 } })
  })

  it('counts begin at 0 after they are taken, and the totals go on', async () => {
    const { dns, port } = await serve(shop(7))
    await ask(port, 'shop.test', 'A')
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { answers: 1 } })
    expect(dns.queryCounts.take()).toEqual([])
    await ask(port, 'shop.test', 'A')
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { answers: 1 } })
    expect(totals(dns.queryCounts)).toEqual({ 'udp answers': 2 })
  })

  it('counts transfers and updates, also those of unknown zones in the totals', async () => {
    const { dns } = await serve(shop(7))
    dns.queryCounts.count('shop.test', 'transfers', 'tcp')
    dns.queryCounts.count('shop.test', 'updates', 'udp')
    dns.queryCounts.count('unknown.test', 'refused', 'tcp')
    dns.queryCounts.count(undefined, 'refused', 'tcp')
    expect(taken(dns.queryCounts)).toEqual({ 'shop.test of 7': { transfers: 1, updates: 1 } })
    expect(totals(dns.queryCounts)).toEqual({ 'tcp transfers': 1, 'udp updates': 1, 'tcp refused': 2 })
    expect(dns.queryCounts.zones()).toBe(1)
  })
})

describe('the counts of an answerer', () => {
  const out = Buffer.alloc(udpMax)
  const answererOf = (zones: Zones) => new Answerer(zones, new ApexRecords({ nameservers: ['ns1.test'] }))

  it('a truncated answer beyond the rate limit counts for the dropped query before it too', () => {
    const zones = new Zones()
    zones.set(ZoneMap.of(shop(7)))
    const answerer = answererOf(zones)
    answerer.answer(queryPacket('shop.test', 'A'), out, 0, udpMax, true)
    expect(taken(answerer.counts)).toEqual({ 'shop.test of 7': { limited: 2 } })
    expect(totals(answerer.counts)).toEqual({ 'udp limited': 2 })
  })

  it('malformed queries and failures are only in the totals', () => {
    const answerer = answererOf(new Zones())
    const query = queryPacket('shop.test', 'A')
    const malformed = Buffer.from(query)
    malformed.writeUInt16BE(2, 4)
    answerer.answer(malformed, out, 0, udpMax)
    answerer.fail(query, out, 0, udpMax)
    expect(totals(answerer.counts)).toEqual({ 'udp malformed': 1, 'udp failed': 1 })
  })

  it('counts the queries of 3,000 zones, each for its zone', () => {
    const zones = new Zones()
    const name = (at: number) => `z${String(at)}.test`
    for (let at = 0; at < 3000; at++) zones.set(new ZoneMap(name(at), 1, at + 1))
    const answerer = answererOf(zones)
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 3000; at++)
        for (let n = 0; n <= at % 3; n++) answerer.answer(queryPacket(name(at), 'SOA'), out, 0, udpMax)
      const found = answerer.counts.take()
      expect(found.map(({ zone, holder, counts }) => [zone, holder, counts[0]])).toEqual(
        Array.from({ length: 3000 }, (_, at) => [name(at), at + 1, 1 + (at % 3)]),
      )
    }
  })
})
