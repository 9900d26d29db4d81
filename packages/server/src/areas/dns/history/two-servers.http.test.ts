import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startTwoServers, type TwoServers } from '../../../../test/two-servers.js'
import type { ZoneClient } from '../../../../test/zone-owner.js'
import { importStore } from '../zone-file/import-store.js'
import { historyValue, type ChangedSet } from '../zones/change-text.js'

/**
 * Two servers on one database change a zone at the same time. The zone as the history rebuilds it at a serial is what its records were
 * and what both nameservers answered then, and a revert restores those answers.
 */

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Selects the histories. */
const seed = process.env['SVC_TEST_SEED']
/** On each database. */
const histories = isLong ? 100 : 3

const hosts = ['@', 'www', 'a', 'b.www']
const types = ['A', 'TXT', 'MX'] as const
const values = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  TXT: ['A', '["www",["A",60', ']],["'],
  MX: ['mail.example.net', 'www.example.net'],
} as const

const ttl = fc.constantFrom(60, 300)
const host = fc.constantFrom(...hosts)
const record = fc.oneof(
  ...types.map((type) =>
    fc.record({
      type: fc.constant(type),
      host,
      value: fc.constantFrom<string>(...values[type]),
      ttl,
      ...(type === 'MX' && { priority: fc.constantFrom(10, 20) }),
    }),
  ),
)

const change = fc.oneof(
  { weight: 3, arbitrary: record.map((create) => ({ kind: 'batch' as const, changes: [{ create }] })) },
  fc
    .array(record, { minLength: 2, maxLength: 3 })
    .map((records) => ({ kind: 'batch' as const, changes: records.map((create) => ({ create })) })),
  fc.record({ kind: fc.constant('delete' as const), nth: fc.nat(9) }),
  fc.record({ kind: fc.constant('replace' as const), host, ttl, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('import' as const), hosts: fc.uniqueArray(host), replace: fc.boolean() }),
  fc.record({ kind: fc.constant('revert' as const), back: fc.nat(5), isWhole: fc.boolean() }),
)
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

/** Changes that the servers make at the same time. */
const burst = fc.array(fc.record({ server: fc.constantFrom(0, 1), change }), { minLength: 1, maxLength: 8 })
type Burst = typeof burst extends fc.Arbitrary<infer B> ? B : never

/** By `host type`, what a nameserver answers. */
type Answers = Readonly<Record<string, readonly string[]>>

const answersIn = (sets: readonly ChangedSet[]): Answers =>
  Object.fromEntries(
    hosts.flatMap((at) =>
      types.map((type) => {
        const own = sets.filter((set) => set.host === at && set.type === type)
        return [`${at} ${type}`, own.flatMap((set) => set.values.map((value) => `${set.ttl} ${value}`)).toSorted()]
      }),
    ),
  )

async function askAll(client: ZoneClient): Promise<Answers> {
  const answers: Record<string, string[]> = {}
  for (const at of hosts) for (const type of types) answers[`${at} ${type}`] = await client.served(at, type)
  return answers
}

describe.each(databaseKinds)('two servers on %s', (kind) => {
  let on: TwoServers
  beforeAll(async () => {
    on = await startTwoServers(kind)
  })
  afterAll(() => on.stop())

  /** The zone through each server. */
  const clientsOf = (zone: string): [ZoneClient, ZoneClient] => [on.through(on.site, zone), on.through(on.other, zone)]

  async function callAt(server: number, method: string, path: string, body?: object) {
    const app = server === 0 ? on.site : on.other
    const answer = await app.call(method, path, { token: on.owner.token, ...(body && { body }) })
    // A change may conflict with the others.
    expect([200, 400, 404], answer.text).toContain(answer.status)
    return answer
  }

  const rebuilt = async (server: number, zone: string, serial: number): Promise<Answers> => {
    const { status, body, text } = await callAt(server, 'GET', `/v1/dns/zones/${zone}/history/${String(serial)}`)
    expect(status, text).toBe(200)
    return answersIn(body['data'].rrsets)
  }

  const revertAt = async (server: number, zone: string, body: object): Promise<number> => {
    const answer = await callAt(server, 'POST', `/v1/dns/zones/${zone}/history/revert`, body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'].serial
  }

  async function apply(zone: string, server: number, one: Change): Promise<unknown> {
    const path = `/v1/dns/zones/${zone}`
    switch (one.kind) {
      case 'batch':
        return callAt(server, 'POST', `${path}/records/batch`, { changes: one.changes })
      case 'delete': {
        const records = (await callAt(server, 'GET', `${path}/records`)).body['data'].records as { id: number }[]
        const found = records[one.nth % Math.max(records.length, 1)]
        return found && callAt(server, 'DELETE', `${path}/records/${String(found.id)}`)
      }
      case 'replace':
        return callAt(server, 'PUT', `${path}/rrsets/${one.host}/A`, {
          values: values.A.slice(0, one.count),
          ttl: one.ttl,
        })
      case 'import': {
        const lines = one.hosts.map((at) => `${at} 300 IN A 192.0.2.7`)
        return callAt(server, 'POST', `${path}/zone-file/import`, {
          text: [...lines, `imported 300 IN A 192.0.2.8`].join('\n'),
          replace: one.replace,
        })
      }
      case 'revert': {
        const { changes } = (await callAt(server, 'GET', `${path}/history?limit=6`)).body['data']
        const { serial } = changes[one.back % changes.length]
        return callAt(server, 'POST', `${path}/history/revert`, one.isWhole ? { to: serial } : { serial })
      }
    }
  }

  /** Notes the records while they change. Two reads with the same serial prove that the first one is of this serial. */
  async function sample(zone: string, states: Map<number, Answers>, until: () => boolean): Promise<void> {
    const store = importStore(on.site.app.database)
    do {
      const { serial, records } = await store.records(on.owner.account, zone)
      await nextTurn()
      if ((await store.records(on.owner.account, zone)).serial !== serial) continue
      states.set(serial, answersIn(records.map((one) => ({ ...one, values: [historyValue(one)] }))))
    } while (!until())
  }

  const settled = (clients: readonly ZoneClient[], answers: Answers) =>
    vi.waitFor(
      async () => {
        for (const client of clients) expect(await askAll(client)).toEqual(answers)
      },
      { timeout: 10_000, interval: 50 },
    )

  async function run(bursts: readonly Burst[]): Promise<void> {
    const { zone } = await on.owner.claim()
    const clients = clientsOf(zone)
    const states = new Map<number, Answers>()
    /** With what the nameservers answered after each burst. */
    const answered = new Map<number, Answers>()
    for (const changes of bursts) {
      let isOver = false
      const sampled = sample(zone, states, () => isOver)
      await Promise.all(changes.map(({ server, change: one }) => apply(zone, server, one)))
      isOver = true
      await sampled
      const [latest] = (await callAt(1, 'GET', `/v1/dns/zones/${zone}/history?limit=1`)).body['data'].changes
      await settled(clients, await rebuilt(0, zone, latest.serial))
      answered.set(latest.serial, await askAll(clients[1]))
    }
    for (const [serial, state] of [...states, ...answered])
      expect(await rebuilt(serial % 2, zone, serial)).toEqual(state)
    for (const [serial, answers] of answered) {
      await revertAt(serial % 2, zone, { to: serial })
      await settled(clients, answers)
    }
    const { changes } = (await callAt(0, 'GET', `/v1/dns/zones/${zone}/history`)).body['data']
    const last = changes.find((one: { action?: string }) => one.action === undefined)
    if (last === undefined) return
    const [before, after] = [await rebuilt(1, zone, last.serial - 1), await rebuilt(1, zone, last.serial)]
    const serial = await revertAt(1, zone, { serial: last.serial })
    await settled(clients, before)
    await revertAt(0, zone, { serial })
    await settled(clients, after)
  }

  it(
    'rebuild a zone as its records were and as both nameservers answered, and restore those answers',
    { timeout: 3_600_000 },
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(burst, { minLength: 2, maxLength: 4 }), run),
        // A failure prints its seed.
        { numRuns: histories, endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) },
      ),
  )
})
