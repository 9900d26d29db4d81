import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { migratedPostgres } from '../../packages/server/test/migrated-database.js'
import { freePort } from '../../test/servers/index.js'
import { client, type Call, type Outcome } from './api-traffic.js'
import { isLong, random } from './random.js'
import { checkedHistory, rebuilt, type ListedChange } from './zone-history.js'

/**
 * Two servers on one database change a zone in every way, and are killed again and again: each acknowledged change has its row in the
 * history, and each row its change.
 */

const zone = 'history-crash.example'
const path = `/v1/dns/zones/${zone}`
const rounds = isLong ? 60 : 2
const clientsPerServer = 3
const { integer, pick } = random('history-crash')

let addresses = 0
/** A value that no other change has, so that each change has an effect. */
const newAddress = () => `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses++ & 255}`
const record = (host: string) => ({ type: 'A', host, value: newAddress(), ttl: 300 })
const hosts = ['www', 'a', 'b', 'c']
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** @returns undefined if there is nothing to take back, or it conflicts with a later change */
async function revert(call: Call): Promise<Outcome | undefined> {
  const listed = await call('GET', `${path}/history?limit=20`)
  if (listed.status !== 200) return listed
  const { serial } = pick((listed.body['data'] as { changes: ListedChange[] }).changes)
  const outcome = await call('POST', `${path}/history/revert`, pick([{ serial }, { to: serial }]))
  if (outcome.status === 400 || outcome.status === 404) return undefined
  const { removed, added } = (outcome.body['data'] ?? {}) as Partial<ListedChange>
  return removed?.length === 0 && added?.length === 0 ? undefined : outcome
}

const importFile = (call: Call, name: string) => {
  const lines = numbers(pick([3, 300])).map((i) => `${name}-${i} 300 IN A ${newAddress()}`)
  return call('POST', `${path}/zone-file/import`, { text: lines.join('\n'), replace: pick([true, false]) })
}

const replaceSet = (call: Call) =>
  call('PUT', `${path}/rrsets/${pick(hosts)}/A`, { values: [newAddress(), newAddress()], ttl: pick([60, 300]) })

const batch = (call: Call, name: string) => {
  const replace = { host: pick(hosts), type: 'A', values: [newAddress()], ttl: 300 }
  return call('POST', `${path}/records/batch`, { changes: [{ create: record(`${name}-batch`) }, { replace }] })
}

/** Makes a random change. @param name of new hosts */
const change = (call: Call, name: string): Promise<Outcome | undefined> =>
  pick<() => Promise<Outcome | undefined>>([
    () => call('POST', `${path}/records`, record(name)),
    () => call('POST', `${path}/records`, record(name)),
    () => replaceSet(call),
    () => batch(call, name),
    () => importFile(call, name),
    () => revert(call),
  ])()

/** A server and the clients that write through it. */
interface Slot {
  readonly place: Place
  readonly dnsPort: number
  serving: (Serving & AsyncDisposable) | undefined
}

it.each(databaseKinds)(
  `no change without its row and no row without its change after kill -9 on %s, ${String(rounds)} times in a row`,
  { timeout: isLong ? 900_000 : 120_000 },
  async (kind) => {
    await using empty = await emptyPlace()
    const database = kind === 'postgres' ? { SVC_DATABASE: await migratedPostgres() } : {}
    const slots = await Promise.all(
      numbers(2).map(async (): Promise<Slot> => {
        const dnsPort = await freePort()
        return { place: { ...empty, env: { ...database, SVC_DNS_PORT: String(dnsPort) } }, dnsPort, serving: undefined }
      }),
    )
    const callsTo = await client(slots[0]!.place)
    const start = async (slot: Slot) => void (slot.serving ??= await svcServe(slot.place))
    const acknowledged = new Set<string>()
    let isOver = false

    async function write(call: Call, name: string): Promise<void> {
      for (let i = 0; !isOver; i++) {
        const outcome = await change(call, `${name}-${i}`)
        if (outcome === undefined) continue
        if (outcome.status === 0) return
        expect(outcome.status, JSON.stringify(outcome.body)).toBe(200)
        acknowledged.add(String(outcome.body['request_id']))
      }
    }

    async function kill(slot: Slot): Promise<void> {
      slot.serving?.child.kill('SIGKILL')
      await slot.serving?.ended
      slot.serving = undefined
    }

    try {
      await start(slots[0]!)
      expect((await callsTo(slots[0]?.serving?.url ?? '')('POST', '/v1/dns/zones', { zone })).status).toBe(200)
      for (let round = 1; round <= rounds; round++) {
        await Promise.all(slots.map(start))
        const before = acknowledged.size
        isOver = false
        const writers = slots.flatMap(({ serving }, server) =>
          numbers(clientsPerServer).map((n) => write(callsTo(serving?.url ?? ''), `r${round}-${server}-${n}`)),
        )
        await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + 5), 30_000)
        await sleep(integer(0, 300))
        // Of two killed servers, SQLite's file is recovered by the next one.
        await Promise.all(pick([slots.slice(0, 1), slots.slice(1), slots]).map(kill))
        isOver = true
        await Promise.all(writers)
        await start(slots[0]!)
        const call = callsTo(slots[0]?.serving?.url ?? '')
        const { requestIds, states } = await checkedHistory(call, zone)
        expect([...acknowledged].filter((id) => !requestIds.has(id))).toEqual([])
        for (const serial of [...states.keys()].slice(-5).concat(pick([...states.keys()])))
          expect(await rebuilt(call, zone, serial)).toEqual(states.get(serial))
      }
      // Both nameservers serve the last change.
      await Promise.all(slots.map(start))
      const { states } = await checkedHistory(callsTo(slots[0]?.serving?.url ?? ''), zone)
      for (const { dnsPort } of slots)
        await vi.waitFor(async () => {
          const [soa] = (await ask(dnsPort, zone, 'SOA')).answers
          expect(Number(soa?.value.split(' ')[2])).toBe([...states.keys()].at(-1))
        }, 10_000)
    } finally {
      await Promise.all(slots.map(kill))
    }
  },
)
