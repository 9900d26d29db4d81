import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from './app.js'
import type { Mood } from './gateway.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { expectError } from './wire.js'
import type { Owner, ZoneClient } from './zone-owner.js'

/** A provider that fails, in every way it can: 502 upstream_error, and nothing has changed, here or there. */

let on: PowerDnsSite
let owner: Owner
let zone: ZoneClient
let standing: number
beforeAll(async () => {
  on = await startPowerDnsSite('sqlite')
  owner = await on.owner()
  zone = await owner.claim('steady.example')
  standing = Number((await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }))['id'])
})
afterAll(() => on.stop())
beforeEach(() => {
  on.gateway.mood = 'pass'
})

const writes: Readonly<Record<string, (zone: ZoneClient, id: number) => Promise<Answer>>> = {
  'a new RRset': ({ create }) => create({ type: 'TXT', host: 'new', value: 'text' }),
  'one more record of an RRset': ({ create }) => create({ type: 'A', host: 'www', value: '192.0.2.2', ttl: 60 }),
  'a change': ({ update }, id) => update(id, { value: '192.0.2.3', host: 'web' }),
  'a deletion': ({ remove }, id) => remove(id),
}

/** Everything on both sides. */
const all = async () => [await on.rows(), await on.held(zone.zone), await on.held('fresh.example')]

async function expectFailure(attempt: () => Promise<Answer>, about: string, problem: string): Promise<void> {
  const before = await all()
  const answer = await attempt()
  expectError(answer, 'upstream_error')
  expect(answer.body).toMatchObject({ zone: about, message: `The DNS provider failed: ${problem}.` })
  expect(answer.text).not.toMatch(/127\.0\.0\.1|key-of-the-test/)
  on.gateway.mood = 'pass'
  expect(await all()).toEqual(before)
}

const error = 'it answered with an error'
const failures: readonly (readonly [name: string, mood: Mood, problem: string])[] = [
  ['refuses the key', { key: 'another' }, 'it refuses the key of this server'],
  ['answers 500', { status: 500, body: '{"error": "Internal Server Error"}' }, error],
  ['answers 503', { status: 503, body: '<html>' }, error],
  ['breaks the connection', 'cut', 'the connection to it broke'],
]

describe.each(failures)('a provider that %s', (_, mood, problem) => {
  it.each(Object.entries(writes))('fails %s', async (__, write) => {
    await expectFailure(
      () => {
        on.gateway.mood = mood
        return write(zone, standing)
      },
      zone.zone,
      problem,
    )
  })

  it('fails a claim', async () => {
    await expectFailure(
      () => {
        on.gateway.mood = mood
        return owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' })
      },
      'fresh.example',
      problem,
    )
  })
})

describe('a provider that does not answer in time', () => {
  const late = 'it did not answer within 5 seconds'

  it('fails a change, and is given back what it had', { timeout: 30_000 }, async () => {
    await expectFailure(
      () => {
        on.gateway.mood = { late: 6000 }
        return zone.update(standing, { value: '192.0.2.3', host: 'web' })
      },
      zone.zone,
      late,
    )
    expect(on.gateway.heard.slice(-2).every((request) => request.startsWith('PATCH'))).toBe(true)
  })

  it('fails a claim', { timeout: 30_000 }, async () => {
    await expectFailure(
      () => {
        on.gateway.mood = { late: 6000 }
        return owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' })
      },
      'fresh.example',
      late,
    )
  })
})

describe('a provider that is down', () => {
  const down = 'it cannot be reached'

  it.each(Object.entries(writes))('fails %s, at once', async (_, write) => {
    const before = await all()
    await on.gateway.shut()
    const answer = await write(zone, standing)
    await on.gateway.open()
    expectError(answer, 'upstream_error')
    expect(answer.body).toMatchObject({ zone: zone.zone, message: `The DNS provider failed: ${down}.` })
    expect(await all()).toEqual(before)
  })

  it('lets reads through, and is seen by who asks whether the server is ready', async () => {
    await on.gateway.shut()
    expect((await zone.list()).body['data'].records).toHaveLength(1)
    expect((await zone.get(standing)).status).toBe(200)
    expect((await on.site.call('GET', '/readyz')).status).toBe(502)
    await on.gateway.open()
    expect((await on.site.call('GET', '/readyz')).status).toBe(200)
  })

  it('leaves a contested claim as it was, until it is up again', async () => {
    const rival = await on.owner()
    const { body } = await rival.call('POST', '/v1/dns/zones', { zone: zone.zone })
    const { name, value } = body['data'].verification
    on.world.set(`TXT ${name}`, { answers: [{ type: 'TXT', name, data: value, ttl: 60 }] })
    const before = await all()
    await on.gateway.shut()
    const verify = () => rival.call('POST', `/v1/dns/zones/${zone.zone}/verify`)
    const answer = await verify()
    expectError(answer, 'upstream_error')
    expect(answer.body['zone']).toBe(zone.zone)
    await on.gateway.open()
    expect(await all()).toEqual(before)
    expect((await zone.list()).status).toBe(200)
    expect((await verify()).body['data']).toMatchObject({ status: 'verified', matched: true })
    expectError(await zone.list(), 'forbidden_zone')
    expect(await zone.served('www', 'A')).toEqual([])
  })
})

describe('a provider whose answer makes no sense', () => {
  it.each([
    ['no JSON', 'certainly', 'its answer cannot be read'],
    ['no list', '{"rrsets": [{"name": 1}]}', 'its answer is not a list of zones'],
    ['nothing', '', 'its answer cannot be read'],
  ])('fails a claim: %s', async (_, text, problem) => {
    await expectFailure(
      () => {
        on.gateway.mood = { status: 200, body: text }
        return owner.call('POST', '/v1/dns/zones', { zone: 'fresh.example' })
      },
      'fresh.example',
      problem,
    )
  })
})

it('the log tells what the answers do not, and never the key', () => {
  const log = on.site.log.join('')
  expect(log).toContain('ECONNREFUSED')
  expect(log).toContain('Internal Server Error')
  expect(log).not.toContain(on.powerdns.key)
})
