import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { postgresSession } from '../../packages/server/test/postgres-session.js'
import { freshPostgres } from '../../test/servers/index.js'
import { client, expectSuccessOr500 } from './api-traffic.js'

/** If another PostgreSQL session locks the row of a zone, only writes to that zone are delayed. */

const held = 'held.example'
const free = 'free.example'
/** Limit for the median duration of other calls. Not the maximum, because the machine may be busy. */
const fastMs = 300

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Infinity

it('25 writes to a locked zone fail within ten seconds, and other calls stay fast', async () => {
  const url = await freshPostgres()
  await using files = await emptyPlace()
  const place = { ...files, env: { SVC_DATABASE: url } }
  const callsTo = await client(place)
  await using server = await svcServe(place)
  const call = callsTo(server.url)
  const create = (zone: string, host: string) =>
    call('POST', `/v1/dns/zones/${zone}/records`, { type: 'A', host, value: '192.0.2.1' })
  for (const zone of [held, free]) expect((await call('POST', '/v1/dns/zones', { zone })).status).toBe(200)

  await using session = await postgresSession(url)
  await session.query('begin')
  await session.query(`select id from dns_zone where name = '${held}' for update`)
  const stuck = Promise.all(Array.from({ length: 25 }, (_, i) => create(held, `stuck${i}`)))
  await sleep(200)

  const reads: number[] = []
  const writes: number[] = []
  for (let i = 0; i < 20; i++) {
    const outcomes = [
      await call('GET', '/v1/account/me'),
      await call('GET', `/v1/dns/zones/${held}/records`),
      await create(free, `free${i}`),
    ] as const
    for (const { status } of outcomes) expect(status).toBe(200)
    reads.push(outcomes[0].ms, outcomes[1].ms)
    writes.push(outcomes[2].ms)
  }
  expect(median(reads)).toBeLessThan(fastMs)
  expect(median(writes)).toBeLessThan(fastMs)
  expect(Math.max(...reads, ...writes)).toBeLessThan(2_000)
  const waiting = await session.query(
    `select count(*)::int as sessions from pg_stat_activity
     where application_name = 'svc' and datname = current_database() and wait_event_type = 'Lock'`,
  )
  expect(waiting).toEqual([{ sessions: 1 }])

  for (const outcome of await stuck) {
    expectSuccessOr500(outcome)
    expect(outcome.status).toBe(500)
    expect(outcome.ms).toBeLessThan(11_000)
  }
  // The server writes its log in batches.
  await vi.waitFor(() => {
    const messages = server.log.flatMap(({ err }) => (err as { message?: string } | undefined)?.message ?? [])
    expect(messages).toContain('canceling statement due to statement timeout')
    expect(messages).toContainEqual(
      expect.stringMatching(/^The lock held\.example of account 1 was not free within \d+ ms\.$/),
    )
  })

  await session.query('rollback')
  expect((await create(held, 'after')).status).toBe(200)
  expect(await call('GET', `/v1/dns/zones/${held}/records`)).toMatchObject({
    body: { data: { records: [{ host: 'after' }] } },
  })
})
