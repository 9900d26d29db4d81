import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { startPostgres, type Postgres } from '../../test/servers/index.js'
import { client, expectSuccessOr500, hostsOf, traffic, type Call } from './api-traffic.js'
import { isLong, random } from './random.js'
import { tcpProxy, type TcpProxy } from './tcp-proxy.js'

/** When PostgreSQL restarts or the network fails, requests may fail. No acknowledged write is lost. */

/** The limit for every request: two waits for the database in a row, plus a margin for a busy machine. */
const deadlineMs = 20_000

let postgres: Postgres
let place: Place & AsyncDisposable
/** Between the server and PostgreSQL. */
let proxy: TcpProxy
/** One for all faults: each test begins with a server that has survived those before it. */
let server: Serving & AsyncDisposable
let call: Call
beforeAll(async () => {
  postgres = await startPostgres({ keepsCommits: true })
  place = await emptyPlace()
  const url = new URL(await postgres.createDatabase())
  const callsTo = await client({ ...place, env: { SVC_DATABASE: url.href } })
  proxy = await tcpProxy(postgres.port)
  url.port = String(proxy.port)
  server = await svcServe({ ...place, env: { SVC_DATABASE: url.href } })
  call = callsTo(server.url)
})
afterAll(async () => {
  for (const part of [server, proxy, place]) await part[Symbol.asyncDispose]()
  await postgres.stop()
})

async function claim(name: string): Promise<string> {
  const zone = `${name}.example`
  expect((await call('POST', '/v1/dns/zones', { zone })).status).toBe(200)
  return zone
}

/** Runs traffic in a new zone during a fault. @returns the time until all clients succeed again, and the number of failed requests */
async function under(name: string, fault: () => Promise<void>) {
  const zone = await claim(name)
  const running = traffic(call, zone, name)
  let recoveredMs = Infinity
  try {
    await vi.waitFor(() => expect(running.allSucceededSince(0)).toBe(true), 10_000)
    await fault()
    const over = performance.now()
    await vi.waitFor(() => expect(running.allSucceededSince(over)).toBe(true), { timeout: 20_000, interval: 20 })
    recoveredMs = performance.now() - over
  } finally {
    await running.stop()
  }
  for (const outcome of running.outcomes) {
    expectSuccessOr500(outcome)
    expect(outcome.ms).toBeLessThan(deadlineMs)
  }
  const hosts = await hostsOf(call, zone)
  expect([...running.acknowledged].filter((host) => !hosts.has(host))).toEqual([])
  return { recoveredMs, failures: running.outcomes.filter(({ status }) => status !== 200).length }
}

/** Causes a fault, and checks that the server recovers from it in time. @returns the number of failed requests */
async function expectRecovery(name: string, atMostMs: number, fault: () => Promise<void>): Promise<number> {
  const { recoveredMs, failures } = await under(name, fault)
  expectAlive()
  expect(recoveredMs).toBeLessThan(atMostMs)
  return failures
}

function expectAlive(): void {
  expect(server.child.exitCode).toBe(null)
  expect(server.log.filter(({ level }) => level === 'fatal')).toEqual([])
}

describe.each(['fast', 'immediate'] as const)('a restart of PostgreSQL, %s', (mode) => {
  it('loses no acknowledged write, and the server recovers within five seconds', async () => {
    for (let round = 0; round < (isLong ? 30 : 1); round++) {
      await expectRecovery(`${mode}${round}`, 5_000, async () => {
        await postgres.shutDown(mode)
        await postgres.startAgain()
      })
    }
  })
})

it('random resets of connections lose no acknowledged write, and the process stays alive', async () => {
  const { next } = random('connection resets')
  const failures = await expectRecovery('reset', 5_000, async () => {
    for (let i = 0; i < (isLong ? 2_000 : 40); i++) {
      proxy.reset(() => next() < 0.2)
      await sleep(20 + 30 * next())
    }
  })
  expect(failures).toBeGreaterThan(0)
})

it('a network that drops all packets: each request is answered in time, and the API recovers', async () => {
  // Queries that were sent during the silence wait for their deadline. New connections work.
  const failures = await expectRecovery('silent', deadlineMs, async () => {
    proxy.setSilent(true)
    const ready = await fetch(`${server.url}/readyz`).then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    expect(ready).toBe(502)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    await sleep(isLong ? 30_000 : 3_000)
    proxy.setSilent(false)
  })
  expect(failures).toBeGreaterThan(0)
})

it('PostgreSQL down for seconds: requests fail at once, the readiness probe within two seconds', async () => {
  const zone = await claim('down')
  await postgres.shutDown('fast')
  try {
    const from = performance.now()
    while (performance.now() - from < (isLong ? 60_000 : 3_000)) {
      const outcomes = await Promise.all([
        call('GET', '/v1/account/me'),
        call('POST', `/v1/dns/zones/${zone}/records`, { type: 'A', host: 'away', value: '192.0.2.1' }),
      ])
      for (const outcome of outcomes) {
        expectSuccessOr500(outcome)
        expect(outcome.status).toBe(500)
        expect(outcome.ms).toBeLessThan(2_000)
      }
      const probed = performance.now()
      expect((await fetch(`${server.url}/readyz`)).status).toBe(502)
      expect(performance.now() - probed).toBeLessThan(2_500)
      await sleep(500)
    }
  } finally {
    await postgres.startAgain()
  }
  const back = performance.now()
  await vi.waitFor(async () => expect((await call('GET', '/v1/account/me')).status).toBe(200), 5_000)
  expect(performance.now() - back).toBeLessThan(5_000)
  expectAlive()
})

it('SIGTERM after all of these faults: exit code 0', async () => {
  expect(await server.stop()).toBe(0)
})

it('PostgreSQL down or silent at start: exit code 1 in time, with a message that names the reason', async () => {
  const serve = (port: number) => {
    const env = { SVC_DATABASE: `postgres://postgres@127.0.0.1:${port}/postgres` }
    return svc(['serve', '--port', '0'], { ...place, env })
  }
  await using silentProxy = await tcpProxy(postgres.port)
  silentProxy.setSilent(true)
  const from = performance.now()
  const [down, silent] = await Promise.all([serve(9), serve(silentProxy.port)])
  expect(performance.now() - from).toBeLessThan(deadlineMs)
  expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses connections') })
  expect(silent).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') })
})
