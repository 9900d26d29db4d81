import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { postgresSession } from '../../packages/server/test/postgres-session.js'
import { freePort, freshPostgres } from '../../test/servers/index.js'
import { client, type Call } from './api-traffic.js'
import { isLong, random } from './random.js'

/** Two processes on one PostgreSQL serve every change of each other, in whatever order the transactions are committed. */

const zones = Array.from({ length: 16 }, (_, i) => `zone${i}.example`)
const hosts = ['a', 'b', 'c']
const writers = 16
const changesPerRound = 48
const rounds = isLong ? 50 : 1
/** How long a transaction waits before its commit at the most, in seconds: the interval of the zone follower. */
const delayMaxSeconds = 0.25

const chance = random('commit-order')

/** Creates, changes or deletes a record of a random zone. @returns the status */
async function change(call: Call): Promise<number> {
  const path = `/v1/dns/zones/${chance.pick(zones)}/records`
  // Few, so that an answer fits into a packet.
  const value = `192.0.2.${chance.integer(1, 20)}`
  const { records } = (await call('GET', path)).body['data'] as { records: { id: number }[] }
  if (records.length === 0 || chance.next() < 0.4)
    return (await call('POST', path, { type: 'A', host: chance.pick(hosts), value })).status
  const record = `${path}/${chance.pick(records).id}`
  return (await (chance.next() < 0.5 ? call('PATCH', record, { value }) : call('DELETE', record))).status
}

/** A zone on one line, as text that tests compare: its serial, and the addresses of each host. */
const lineOf = (zone: string, serial: unknown, addresses: readonly (readonly string[])[]) =>
  [zone, serial, ...hosts.map((host, i) => `${host}=${[...(addresses[i] ?? [])].sort().join()}`)].join(' ')

const servedLine = async (port: number, zone: string) => {
  const { answers } = await ask(port, zone, 'SOA')
  const addresses = hosts.map(async (host) =>
    (await ask(port, `${host}.${zone}`, 'A', { edns: 4096 })).answers.map(({ value }) => value),
  )
  return lineOf(zone, answers[0]?.value.split(' ')[2], await Promise.all(addresses))
}

it('both processes serve every zone as stored, after transactions of random length', async () => {
  const url = await freshPostgres()
  await using files = await emptyPlace()
  const dnsPorts = [await freePort(), await freePort()] as const
  const placeOf = (port: number) => ({
    ...files,
    env: { SVC_DATABASE: url, SVC_DNS_RATE_LIMIT: '0', SVC_DNS_PORT: String(port) },
  })
  const callsTo = await client(placeOf(dnsPorts[0]))
  const starting = dnsPorts.map((port) => svcServe(placeOf(port)))
  await using first = await starting[0]!
  await using second = await starting[1]!
  const calls = [callsTo(first.url), callsTo(second.url)]
  for (const { status } of await Promise.all(zones.map((zone) => calls[0]!('POST', '/v1/dns/zones', { zone }))))
    expect(status).toBe(200)

  await using session = await postgresSession(url)
  await session.query(`create function delay() returns trigger language plpgsql as
    $$ begin perform pg_sleep(random() * ${delayMaxSeconds}); return null; end $$`)
  await session.query('create trigger delayed after update on dns_zone for each row execute function delay()')

  const storedLines = async () => {
    const rows = await session.query(`select name, serial, host, value from dns_zone
      left join dns_record on zone_id = dns_zone.id order by name`)
    return zones.map((zone) => {
      const own = rows.filter(({ name }) => name === zone)
      const addresses = hosts.map((at) => own.filter(({ host }) => host === at).map(({ value }) => String(value)))
      return lineOf(zone, own[0]?.['serial'], addresses)
    })
  }

  for (let round = 0; round < rounds; round++) {
    let left = changesPerRound
    const statuses: number[] = []
    const write = async () => {
      while (left-- > 0) statuses.push(await change(chance.pick(calls)))
    }
    const end = new AbortController()
    const running = Promise.all(Array.from({ length: writers }, write)).finally(() => {
      end.abort()
    })
    // Holds back changes of one zone before they begin.
    while (!end.signal.aborted) {
      await session.query(`begin; select id from dns_zone where name = '${chance.pick(zones)}' for update`)
      await sleep(chance.integer(0, 50))
      await session.query('commit')
    }
    await running
    expect([...new Set(statuses)].filter((status) => ![200, 400, 404].includes(status))).toEqual([])
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(changesPerRound / 4)

    const stored = await storedLines()
    for (const port of dnsPorts)
      await vi.waitFor(
        async () => expect(await Promise.all(zones.map((zone) => servedLine(port, zone)))).toEqual(stored),
        { timeout: 15_000, interval: 100 },
      )
  }
})
