import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from './app.js'
import type { Behaviour } from './gateway.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { expectError } from './raw-http.js'
import type { Owner, ZoneClient } from './zone-owner.js'

/** A failing provider: 502 upstream_error, and neither the database nor PowerDNS has changed. */

let on: PowerDnsSite
let owner: Owner
let zone: ZoneClient
let recordId: number
beforeAll(async () => {
  on = await startPowerDnsSite('sqlite')
  owner = await on.owner()
  zone = await owner.claim('steady.com')
  recordId = Number((await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }))['id'])
})
afterAll(() => on.stop())
beforeEach(() => {
  on.gateway.behaviour = 'pass'
})

const writes: Readonly<Record<string, (zone: ZoneClient, id: number) => Promise<Answer>>> = {
  'a new RRset': ({ create }) => create({ type: 'TXT', host: 'new', value: 'text' }),
  'another record in an RRset': ({ create }) => create({ type: 'A', host: 'www', value: '192.0.2.2', ttl: 60 }),
  'a change': ({ update }, id) => update(id, { value: '192.0.2.3', host: 'web' }),
  'a deletion': ({ remove }, id) => remove(id),
  'a batch': ({ batch }, id) => batch([{ delete: { id } }, { create: { type: 'A', host: 'new', value: '192.0.2.2' } }]),
}

/** The database rows and the records in PowerDNS. */
const snapshot = async () => [await on.rows(), await on.held(zone.zone), await on.held('fresh.example')]

function expectFailed(answer: Answer, zoneName: string, problem: string): void {
  expectError(answer, 'upstream_error')
  expect(answer.body).toMatchObject({ zone: zoneName, message: `The DNS provider failed: ${problem}.` })
  expect(answer.text).not.toMatch(/127\.0\.0\.1|key-of-the-test/)
}

async function expectFailure(attempt: () => Promise<Answer>, zoneName: string, problem: string): Promise<void> {
  const before = await snapshot()
  expectFailed(await attempt(), zoneName, problem)
  on.gateway.behaviour = 'pass'
  expect(await snapshot()).toEqual(before)
}

const error = 'it answered with an error'
const failures: readonly (readonly [name: string, behaviour: Behaviour, problem: string])[] = [
  ['refuses the key', { key: 'another' }, 'it refuses the key of this server'],
  ['answers 500', { status: 500, body: '{"error": "Internal Server Error"}' }, error],
  ['answers 503', { status: 503, body: '<html>' }, error],
  ['closes the connection', 'disconnect', 'the connection to it broke'],
]

describe.each(failures)('a provider that %s', (_, behaviour, problem) => {
  it.each(Object.entries(writes))('fails a change of %s', async (__, write) => {
    await expectFailure(
      () => {
        on.gateway.behaviour = behaviour
        return write(zone, recordId)
      },
      zone.zone,
      problem,
    )
  })

  it('fails a claim', async () => {
    await expectFailure(
      () => {
        on.gateway.behaviour = behaviour
        return owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' })
      },
      'fresh.example',
      problem,
    )
  })
})

describe('a provider that does not answer in time', () => {
  // Both wait for the same deadline, so they wait together.
  let answers: { change: Answer; claim: Answer }
  let before: unknown
  let requests: readonly string[]
  beforeAll(async () => {
    before = await snapshot()
    on.gateway.requests.length = 0
    on.gateway.behaviour = { delayMs: 6000 }
    const [change, claim] = await Promise.all([
      zone.update(recordId, { value: '192.0.2.3', host: 'web' }),
      owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' }),
    ])
    answers = { change, claim }
    requests = [...on.gateway.requests]
    on.gateway.behaviour = 'pass'
  })

  it.each([
    ['change', 'steady.com'],
    ['claim', 'fresh.example'],
  ] as const)('fails a %s, and keeps its records', async (write, zoneName) => {
    const answer = answers[write]
    expectFailed(answer, zoneName, 'it did not answer within 5 seconds')
    expect(await snapshot()).toEqual(before)
  })

  it('a provider that does not answer in time gets the change, and then its former records', () => {
    const writes = requests.filter((request) => !request.startsWith('GET'))
    expect(writes).toHaveLength(2)
    expect(writes.every((request) => request.startsWith('PATCH'))).toBe(true)
  })
})

describe('a provider that is down', () => {
  const down = 'it cannot be reached'

  it.each(Object.entries(writes))('fails %s at once', async (_, write) => {
    const before = await snapshot()
    await on.gateway.close()
    const answer = await write(zone, recordId)
    await on.gateway.open()
    expectError(answer, 'upstream_error')
    expect(answer.body).toMatchObject({ zone: zone.zone, message: `The DNS provider failed: ${down}.` })
    expect(await snapshot()).toEqual(before)
  })

  it('does not affect reads, and fails the readiness probe', async () => {
    await on.gateway.close()
    expect((await zone.list()).body['data'].records).toHaveLength(1)
    expect((await zone.get(recordId)).status).toBe(200)
    expect((await on.site.call('GET', '/readyz')).status).toBe(502)
    await on.gateway.open()
    expect((await on.site.call('GET', '/readyz')).status).toBe(200)
  })

  it('leaves a contested claim unchanged until it is up again', async () => {
    const challenger = await on.owner()
    const { body } = await challenger.call('POST', '/v1/dns/zones', { zone: zone.zone })
    const { name, value } = body['data'].verification
    on.world.set(`TXT ${name}`, { answers: [{ type: 'TXT', name, data: value, ttl: 60 }] })
    const before = await snapshot()
    await on.gateway.close()
    const verify = () => challenger.call('POST', `/v1/dns/zones/${zone.zone}/verify`)
    const answer = await verify()
    expectError(answer, 'upstream_error')
    expect(answer.body['zone']).toBe(zone.zone)
    await on.gateway.open()
    expect(await snapshot()).toEqual(before)
    expect((await zone.list()).status).toBe(200)
    expect((await verify()).body['data']).toMatchObject({ status: 'verified', matched: true })
    expectError(await zone.list(), 'forbidden_zone')
    expect(await zone.served('www', 'A')).toEqual([])
  })
})

describe('a provider with an invalid answer', () => {
  it.each([
    ['no JSON', 'certainly', 'its answer cannot be read'],
    ['no list', '{"rrsets": [{"name": 1}]}', 'its answer is not a list of zones'],
    ['nothing', '', 'its answer cannot be read'],
  ])('fails a claim: %s', async (_, text, problem) => {
    await expectFailure(
      () => {
        on.gateway.behaviour = { status: 200, body: text }
        return owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' })
      },
      'fresh.example',
      problem,
    )
  })
})

it('the log has the details that the answers leave out, but not the key', () => {
  const log = on.site.log.join('')
  expect(log).toContain('ECONNREFUSED')
  expect(log).toContain('Internal Server Error')
  expect(log).not.toContain(on.powerdns.key)
})
