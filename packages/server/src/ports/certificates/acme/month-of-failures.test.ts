import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { problem, startFakeCa, type FakeCa } from '../../../../test/fake-ca.js'
import { findingsOf } from '../../../../test/findings.js'
import { opensslCa, type OpensslCa } from '../../../../test/openssl-ca.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { certificatesCheck } from '../../../commands/doctor/certificates.js'
import { inspectDatabase } from '../../../db/connect.js'
import { MasterKey } from '../../../shared/master-key.js'
import { guardedConnections } from '../../outbound/guarded-connections.js'
import { openVault } from '../../vault/envelope-vault.js'
import { namesKeyOf } from './certificate-row-store.js'
import { certificateStore } from './certificate-store.js'
import { acmeClient } from './client.js'
import { accountKeyOf } from './jws.js'
import { certificateManager } from './manager.js'
import { noOrderLimits } from '../../../../test/order-limits.js'
import { certificateRequest, newKey } from './x509.js'

/** A CA that fails for 30 days of a clock that the test sets: the certificate of 25 days is served until its end, and nothing loops. */

const dayMs = 86_400_000
const names = ['*.example.net', 'example.net']
const { signal } = new AbortController()
let ca: OpensslCa
let fake: FakeCa
let place: TwoProcesses
let run: () => Promise<void>
let orderDeadlineMs: number
beforeAll(async () => {
  ca = await opensslCa()
})
afterAll(() => ca.stop())
beforeEach(async () => {
  fake = await startFakeCa(ca)
  place = await twoProcesses('sqlite')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const store = certificateStore(place.db, await openVault({ kind: 'setting', key: MasterKey.random() }, place.db))
  const accountKey = accountKeyOf(newKey())
  orderDeadlineMs = 60_000
  const manager = certificateManager({
    store,
    limits: noOrderLimits,
    client: () =>
      Promise.resolve(
        acmeClient(
          {
            directoryUrl: fake.directoryUrl,
            connections: guardedConnections({ allowed: [], trustedUrl: `${fake.directoryUrl.origin}/` }),
            accountKey,
            email: undefined,
            externalAccount: undefined,
          },
          { order: orderDeadlineMs, renewalInfo: orderDeadlineMs },
        ),
      ),
    proofs: {
      typesFor: () => Promise.resolve(['dns-01']),
      publish: () => Promise.resolve(),
      withdraw: () => Promise.resolve(),
    },
    syncWanted: () => store.want([namesKeyOf(names)], Date.now()),
    problemOf: () => Promise.resolve(undefined),
    profile: undefined,
    log: { info: () => undefined, warn: () => undefined },
  })
  run = () => manager.run(signal)
})
afterEach(async () => {
  vi.useRealTimers()
  await fake.stop()
  await place.stop()
})

const at = (path: string, answer: ReturnType<FakeCa['lie']>): FakeCa['lie'] => {
  return (request) => (request.path.startsWith(path) ? answer : undefined)
}

/** Without the intermediate, which is valid for nine days. */
const signedFor = (days: number) => (csr: Buffer) => ca.sign(csr, '-days', String(days))

async function row() {
  const [found] = await runSql(place.config, 'select chain, next_at, error from certificate')
  return { chain: found?.['chain'], nextAt: Number(found?.['next_at']), error: String(found?.['error']) }
}

async function doctor(): Promise<string> {
  const env = {
    SVC_ACME: 'on',
    SVC_TLS_PORT: '443',
    SVC_PUBLIC_URL: 'https://api.example.net',
    SVC_SITES_DOMAIN: 'example.net',
    SVC_SITES_ADDRESSES: '192.0.2.1',
  }
  const inspected = await inspectDatabase(place.config, () => undefined)
  try {
    return (await findingsOf(certificatesCheck, env, inspected))[0] ?? ''
  } finally {
    await inspected.close()
  }
}

/** Lets the time pass from one attempt to the next. @returns the requests of each day that has an attempt */
async function pass(until: number, look: () => Promise<void>): Promise<number[]> {
  const days = new Map<number, number>()
  for (let day = 0; Date.now() < until; day = Math.floor((Date.now() + 30 * dayMs - until) / dayMs)) {
    const before = fake.paths.length
    await run()
    days.set(day, (days.get(day) ?? 0) + fake.paths.length - before)
    await look()
    // The job runs every two seconds.
    vi.setSystemTime(Math.max((await row()).nextAt, Date.now() + 2_000))
  }
  return [...days.values()]
}

/** What the CA does, the error that follows, and how long an order may take, in milliseconds. */
const failures: Readonly<Record<string, { fail: () => void; error: RegExp; orderMs?: number }>> = {
  'is down': { fail: () => (fake.lie = () => ({ status: 500, body: {} })), error: /The CA failed: it answered 500/ },
  'does not answer': { fail: () => (fake.lie = () => 'handled'), error: /The CA did not answer in time/, orderMs: 50 },
  'refuses every nonce': { fail: () => (fake.lie = at('/new-order', problem('badNonce', 'No.'))), error: /badNonce/ },
  'limits the requests': {
    fail: () => (fake.lie = at('/new-order', problem('rateLimited', 'Wait.', 429, { 'retry-after': '7200' }))),
    error: /The CA limits the requests: Wait/,
  },
  'gives up all orders': {
    fail: () => {
      const { origin } = fake.directoryUrl
      const body = { status: 'invalid', authorizations: [], finalize: `${origin}/finalize` }
      fake.lie = at('/finalize', { body })
    },
    error: /The CA gave up the order/,
  },
  'issues for another key': {
    fail: () => (fake.issue = () => ca.sign(certificateRequest(names, newKey()))),
    error: /it is for another key/,
  },
  'issues with a wrong chain': {
    fail: () => (fake.issue = async (csr) => (await ca.sign(csr)) + ca.root),
    error: /its chain is not in order/,
  },
}

it.each(Object.entries(failures))('a CA that %s for a month', async (_, { fail, error, orderMs }) => {
  fake.issue = signedFor(25)
  await run()
  const { chain } = await row()
  expect(chain).toContain('BEGIN CERTIFICATE')
  const start = Date.now()
  const endDay = new Date(start + 25 * dayMs).toISOString().slice(0, 10)
  fail()
  orderDeadlineMs = orderMs ?? orderDeadlineMs
  const days = await pass(start + 30 * dayMs, async () => {
    // An expired certificate is served too: the browser then names the problem.
    expect((await row()).chain).toBe(chain)
  })
  // An attempt has up to 20 requests; near the end there is one every half hour.
  expect(Math.max(...days)).toBeLessThan(48 * 20)
  expect(days.reduce((sum, count) => sum + count, 0)).toBeLessThan(100 * 20)
  expect((await row()).error).toMatch(error)
  expect(await doctor()).toMatch(
    new RegExp(`^error There is no valid certificate .* The last one expired on ${endDay}\\.`),
  )
  vi.setSystemTime(start + 24 * dayMs)
  expect(await doctor()).toMatch(
    new RegExp(`^warning The certificate .* is valid until ${endDay}, but could not be renewed\\.`),
  )

  // A CA that works again is asked within a day.
  vi.setSystemTime(start + 30 * dayMs)
  expect((await row()).nextAt).toBeLessThan(Date.now() + dayMs)
  ;[fake.lie, fake.issue, orderDeadlineMs] = [() => undefined, signedFor(60), 60_000]
  vi.setSystemTime((await row()).nextAt)
  await run()
  expect((await row()).chain).not.toBe(chain)
  expect((await row()).error).toBe('null')
})
