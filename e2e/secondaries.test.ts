import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { embeddedDns, type EmbeddedDns } from '../packages/server/src/ports/dns/embedded/embedded-dns.js'
import type { RRset } from '../packages/server/src/ports/dns/port.js'
import type { Key } from '../packages/server/src/ports/dns/protocol/messages.js'
import { ask } from '../packages/server/test/dns-ask.js'
import { zones as hardZones } from '../packages/server/test/nameserver-zones.js'
import { ensure, freePort } from '../test/servers/index.js'
import { plainZone } from './nameservers/plain-zone.js'
import {
  startBindSecondary,
  startKnotSecondary,
  startNsdSecondary,
  startPowerDnsSecondary,
  type SecondaryServer,
} from './nameservers/secondaries.js'

const run = promisify(execFile)
const secret = Buffer.alloc(32, 9)
const key: Key = { name: 'ns2', algorithm: 'hmac-sha256', secret, signer: () => ({ kind: 'operator', name: 'ns2' }) }
const nameservers = ['ns1.example.net', 'ns2.example.net']
const zones = [...hardZones, plainZone]

let dns: EmbeddedDns
let servers: SecondaryServer[] = []
const kinds: string[] = []

const portOf = () => dns.addresses[0]?.port ?? 0

/** The records of a zone by dig, sorted; the class and the spelling are dig's. */
async function transfer(port: number, zone: string, ...more: string[]): Promise<string[]> {
  const { stdout } = await run(
    ensure('dig'),
    ['@127.0.0.1', '-p', String(port), zone, 'AXFR', '+noall', '+answer', '+onesoa', '+time=5', '+tries=1', ...more],
    { maxBuffer: 64 * 1024 * 1024 },
  )
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.replaceAll(/\s+/g, ' ').toLowerCase())
    .toSorted()
}

const signed = ['-y', `hmac-sha256:ns2:${secret.toString('base64')}`]

async function serialAt(port: number, zone: string): Promise<string> {
  const { stdout } = await run(ensure('dig'), [
    '@127.0.0.1',
    '-p',
    String(port),
    zone,
    'SOA',
    '+short',
    '+time=2',
    '+tries=1',
  ])
  return stdout.split(' ')[2] ?? ''
}

beforeAll(async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  dns = await embeddedDns({
    host: '127.0.0.1',
    port: await freePort(),
    nameservers,
    log: pino({ level: 'silent' }),
    zones,
    rateLimit: 0,
  })
  let serial = 1
  const handlers = dns.serveSecondaries({
    secondaries: ports.map((port) => ({ address: '127.0.0.1', port, key: 'ns2' })),
    keyOf: async () => key,
    catalog: { name: 'catalog.invalid', serialOf: async () => ++serial },
    count: { transfer: (kind) => kinds.push(kind), notify: () => undefined },
  })
  dns.answerProtocols({ keys: { byName: async (name) => (name === 'ns2' ? key : undefined) }, handlers })
  const primaryOf = (secondaryPort: number) => ({ port: portOf(), secret: secret.toString('base64'), secondaryPort })
  const [knot, bind, powerdns, nsd] = ports
  servers = await Promise.all([
    startKnotSecondary(primaryOf(knot)),
    startBindSecondary(primaryOf(bind)),
    startPowerDnsSecondary(primaryOf(powerdns)),
    startNsdSecondary(
      primaryOf(nsd),
      zones.map(({ zone }) => zone),
    ),
  ])
})

afterAll(async () => {
  await Promise.all([...servers.map((server) => server.stop()), dns.close()])
})

/** Waits until each secondary has the serial of a zone. @returns the milliseconds */
async function caughtUp(zone: string, of = servers, timeout = 60_000): Promise<number> {
  const began = performance.now()
  await vi.waitFor(
    async () => {
      const serial = await serialAt(portOf(), zone)
      for (const server of of) expect([server.name, await serialAt(server.port, zone)]).toEqual([server.name, serial])
    },
    { timeout, interval: 100 },
  )
  return performance.now() - began
}

async function expectSame(zone: string, of = servers): Promise<void> {
  const own = await transfer(portOf(), zone, ...signed)
  expect(own.length).toBeGreaterThan(2)
  for (const server of of) expect([server.name, await transfer(server.port, zone)]).toEqual([server.name, own])
}

const named = (name: string) => servers.filter((server) => server.name === name)
const withCatalog = () => servers.filter(({ name }) => name !== 'nsd')

const addressOf = (name: string, value: string): RRset => ({
  name,
  type: 'A',
  ttl: 60,
  records: [{ value, priority: null }],
})

/** Zones of tests have numbers as their serials, which the tests increment. */
const serials = new Map<string, number>()
function next(zone: string): number {
  const serial = (serials.get(zone) ?? zones.find((found) => found.zone === zone)?.serial ?? 0) + 1
  serials.set(zone, serial)
  return serial
}

describe('secondaries with the documented configurations', () => {
  it('serve all zones with the same records', async () => {
    for (const { zone } of zones) {
      await caughtUp(zone)
      await expectSame(zone)
    }
  })

  it('follow changes within seconds, by differences', async () => {
    const { zone } = plainZone
    kinds.length = 0
    for (let n = 0; n < 10; n++) {
      for (let m = 0; m < 20; m++) {
        const name = `h${(n * 7 + m) % 31}.${zone}`
        const records = m % 3 === 0 ? [] : [{ value: `192.0.2.${(n + m) % 250}`, priority: null }]
        await dns.publish({ zone, serial: next(zone), rrsets: [{ name, type: 'A', ttl: 60 + (m % 2), records }] })
      }
      expect(await caughtUp(zone)).toBeLessThan(5000)
    }
    await expectSame(zone)
    // PowerDNS asks for whole zones, unless a zone has the metadata IXFR.
    const whole = kinds.filter((kind) => kind === 'axfr').length
    const differences = kinds.filter((kind) => kind === 'ixfr').length
    expect(differences).toBeGreaterThanOrEqual(20)
    expect(whole).toBeLessThanOrEqual(11)
  })

  it('serve a name with 300 records of one type', async () => {
    const { zone } = plainZone
    const records = Array.from({ length: 300 }, (_, n) => ({ value: `10.0.${n >> 8}.${n & 255}`, priority: null }))
    await dns.publish({ zone, serial: next(zone), rrsets: [{ name: `many.${zone}`, type: 'A', ttl: 60, records }] })
    await caughtUp(zone)
    await expectSame(zone)
    await dns.publish({ zone, serial: next(zone), rrsets: [{ name: `many.${zone}`, type: 'A', ttl: 60, records: [] }] })
    await caughtUp(zone)
  })

  it('catch up after they were away, by differences', async () => {
    const { zone } = plainZone
    const [bind] = named('bind')
    await bind?.pause()
    kinds.length = 0
    for (let n = 0; n < 50; n++)
      await dns.publish({ zone, serial: next(zone), rrsets: [addressOf(`away${n}.${zone}`, '192.0.2.9')] })
    await bind?.resume()
    await caughtUp(zone)
    await expectSame(zone)
    expect(kinds).toContain('ixfr')
  })

  it('serve a new zone, one of another owner, and no deleted one', async () => {
    const zone = 'new.test'
    const load = (owner: number, value: string) =>
      dns.setZone({ zone, serial: next(zone), holder: owner, owner, rrsets: [addressOf(`www.${zone}`, value)] })
    await load(1, '192.0.2.1')
    expect(await caughtUp(zone, withCatalog())).toBeLessThan(10_000)
    await expectSame(zone, withCatalog())
    await load(2, '192.0.2.2')
    await caughtUp(zone, withCatalog())
    await expectSame(zone, withCatalog())
    await dns.removeZone(zone, next(zone))
    await vi.waitFor(
      async () => {
        for (const { name, port } of withCatalog()) expect([name, await serialAt(port, zone)]).toEqual([name, ''])
      },
      { timeout: 30_000, interval: 200 },
    )
  })

  /** Ten seconds on a quiet machine, of which three servers take most. */
  const limitMs = 30_000

  it('serve 1,000 new zones within seconds', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `many${n}.test`)
    const began = performance.now()
    await Promise.all(
      names.map((zone) =>
        dns.setZone({ zone, serial: next(zone), holder: 1, owner: 1, rrsets: [addressOf(`www.${zone}`, '192.0.2.1')] }),
      ),
    )
    await Promise.all(
      withCatalog().map(async ({ port }) => {
        for (const zone of names)
          await vi.waitFor(async () => expect(await serialOf(port, zone)).toBe(1), { timeout: 60_000, interval: 100 })
      }),
    )
    expect(performance.now() - began).toBeLessThan(limitMs)
  })
})

/** Faster than dig. */
async function serialOf(port: number, zone: string): Promise<number | undefined> {
  const { answers } = await ask(port, zone, 'SOA', { tcp: true })
  return answers[0] === undefined ? undefined : Number(answers[0].value.split(' ')[2])
}
