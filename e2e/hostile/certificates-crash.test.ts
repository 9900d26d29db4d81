import { once } from 'node:events'
import { connect } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import type { Database } from '../../packages/server/src/db/port.js'
import { certificateList, queueRenewal } from '../../packages/server/src/ports/certificates/acme/certificate-store.js'
import { migratedPostgres } from '../../packages/server/test/migrated-database.js'
import { startPebbleFront, type PebbleFront } from '../../packages/server/test/pebble-front.js'
import { runSql } from '../../packages/server/test/site.js'
import { freePort, startPebble } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'
import { startDnsRelay } from './dns-relay.js'
import { OrdersInFlight } from './orders-in-flight.js'
import { random } from './random.js'

/** Servers that are killed while they renew certificates of one minute: every client goes on to get a valid one. */

const renewals = 1_000
const killEveryMs = 5_000
const validitySeconds = 60
const [sitesDomain, publicZone] = ['sites.test', 'public.test']
/** Zones of an account that has asked for their wildcards. */
const userZones = Array.from({ length: 24 }, (_, n) => `zone${String(n)}.example`)
const hosts = [`api.${publicZone}`, ...[sitesDomain, ...userZones].map((zone) => `any.${zone}`)]
/** Clients that connect at the same time. */
const clientsCount = 3
const email = 'ada@example.com'
const { pick } = random('certificates-crash')

/** Milliseconds. */
const timeout = 1_800_000

/** One of the servers; it runs unless it has just been killed. */
interface Slot {
  readonly number: number
  readonly dnsPort: number
  readonly front: PebbleFront
  serving: (Serving & AsyncDisposable) | undefined
}

it(
  `${String(renewals)} renewals by three servers, of which one is killed every few seconds, fail no handshake`,
  { timeout },
  async () => {
    await using place = await serverPlace()
    const dnsPorts = [await freePort(), await freePort(), await freePort()]
    const relay = await startDnsRelay(() => dnsPorts.toSorted(() => pick([-1, 1])))
    const pebble = await startPebble(relay.port, { validitySeconds })
    const orders = new OrdersInFlight()
    const slots: Slot[] = []
    for (const [number, dnsPort] of dnsPorts.entries()) {
      const front = await startPebbleFront(pebble)
      front.renewalInfo = { body: windowOf('2020-01-01', '2100-01-01'), retryAfter: '86400' }
      front.observe = (exchange) => orders.observe(number, exchange)
      slots.push({ number, dnsPort, front, serving: undefined })
    }
    const start = async (slot: Slot) => {
      const resolvers = dnsPorts.map((port) => `127.0.0.1:${String(port)}`).join(',')
      const urls = ['--acme-url', slot.front.directoryUrl.href, '--public-url', `https://api.${publicZone}`]
      const ports = ['--tls-port', '0', '--http-port', '0', '--dns-port', String(slot.dnsPort)]
      slot.serving = await svcServe(place, '--acme', 'on', ...urls, ...ports, '--resolvers', resolvers)
    }
    await Promise.all(slots.map(start))
    for (const zone of [sitesDomain, publicZone])
      expect(await svc(['dns', 'assign', zone, email], place)).toMatchObject({ code: 0 })
    for (const zone of userZones)
      for (const path of ['dns/zones', 'tls/certificates'])
        expect((await post(`${slots[0]?.serving?.url ?? ''}/v1/${path}`, place.token, { zone })).ok).toBe(true)

    await withDatabase(databaseOf(place), async (db) => {
      const root = await pebble.root()
      const failed: string[] = []
      await vi.waitFor(async () => {
        for (const slot of slots) for (const host of hosts) await handshake(slot, host, root)
      }, 60_000)
      const over = new AbortController()
      const renewed = renewAll(db, over)
      const clients = Array.from({ length: clientsCount }, () => askOnAndOn(slots, root, failed, over.signal))
      while (!over.signal.aborted) {
        await sleep(killEveryMs)
        const slot = pick(slots)
        const killed = slot.serving
        slot.serving = undefined
        killed?.child.kill('SIGKILL')
        await killed?.ended
        orders.endAllOf(slot.number)
        await start(slot)
      }
      const handshakes = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0)
      expect(await renewed).toBe(renewals)
      expect(failed).toEqual([])
      expect(handshakes).toBeGreaterThan(renewals)
      expect(orders.overlaps).toEqual([])
    })
    // What killed processes have left expires, and is removed.
    for (const table of ['dns_challenge', 'acme_proof'])
      await vi.waitFor(async () => expect(await runSql(databaseOf(place), `select * from ${table}`)).toEqual([]), {
        timeout: 120_000,
        interval: 500,
      })
    for (const { serving, front } of slots) {
      await serving?.stop()
      await front.stop()
    }
    await pebble.stop()
    relay.stop()
  },
)

async function serverPlace(): Promise<Place & AsyncDisposable & { readonly token: string }> {
  const empty = await emptyPlace()
  const names = { SVC_SITES_DOMAIN: sitesDomain, SVC_NAMESERVERS: `ns1.${publicZone},ns2.${publicZone}` }
  const place = { ...empty, env: { SVC_DATABASE: await migratedPostgres(), SVC_MASTER_KEY: '5e'.repeat(32), ...names } }
  return { ...place, token: await accountToken(place, email, 'dns:write') }
}

const post = (url: string, token: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const databaseOf = ({ env }: Place) => readDatabaseConfig({ env: { ...env } })

const windowOf = (start: string, end: string) => ({
  suggestedWindow: { start: `${start}T00:00:00Z`, end: `${end}T00:00:00Z` },
})

/** Renews each certificate again as soon as it is renewed. @param over aborted when all is done @returns the renewals */
async function renewAll(db: Database, over: AbortController): Promise<number> {
  const chains = new Map<number, string | null>()
  let count = -hosts.length
  while (count < renewals) {
    for (const { id, chain } of await certificateList(db)) {
      if (chains.get(id) === chain || count === renewals) continue
      chains.set(id, chain)
      count++
      await queueRenewal(db, id)
    }
    await sleep(50)
  }
  over.abort()
  return count
}

/** Connects to one server after another, for one host after another. @returns the number of handshakes */
async function askOnAndOn(slots: readonly Slot[], root: string, failed: string[], signal: AbortSignal) {
  let count = 0
  for (; !signal.aborted; count++) {
    const slot = pick(slots.filter(({ serving }) => serving !== undefined))
    const [{ serving }, host] = [slot, pick(hosts)]
    await handshake(slot, host, root).catch((error: unknown) => {
      // The server was killed meanwhile: a client connects to another one.
      if (slot.serving === serving) failed.push(`${host} at ${String(slot.number)}: ${String(error)}`)
    })
    await sleep(20)
  }
  return count
}

/** @throws the error of a handshake that fails, also if the certificate is not valid */
async function handshake({ serving }: Slot, host: string, ca: string): Promise<void> {
  const listening = serving?.log.find(({ msg }) => msg === 'listening')
  const port = Number(new URL(String(listening?.['tls_url'])).port)
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) })
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}
