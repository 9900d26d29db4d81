import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Serving } from '../../packages/cli/test/svc.js'
import { call, powerDnsServers, type PowerDnsServers } from './powerdns-servers.js'

/** PowerDNS accepts requests but does not answer. */

/** The deadline of a change, plus a margin for a busy machine. */
const answeredWithinMs = 10_000 + 2_500

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let on: PowerDnsServers
  let token: string
  let servers: readonly Serving[]
  beforeAll(async () => {
    on = await powerDnsServers(kind)
    token = await on.token('ada@example.com')
    servers = await Promise.all([on.serve(), on.serve(), on.serve()])
  })
  afterAll(() => on[Symbol.asyncDispose]())

  it('502 for every queued change of a zone within one deadline, in three processes', async () => {
    const [first = { url: '' }] = servers
    expect((await call(first, token, 'POST', '', { zone: 'hung.example' })).status).toBe(200)
    const before = await on.held('hung.example')

    on.gateway.behaviour = { delayMs: 60_000 }
    const answers = await Promise.all(
      [0, 0, 0, 1, 1, 2, 2].map(async (server, n) => {
        // Starts in the order of the list, in which the first process has the longest queue.
        await sleep(n * 20)
        const record = { type: 'A', host: `h${n}`, value: '192.0.2.1' }
        return call(servers[server] ?? first, token, 'POST', '/hung.example/records', record)
      }),
    )
    for (const { status, body, ms } of answers) {
      expect(body).toMatchObject({ success: false, error: 'upstream_error', zone: 'hung.example' })
      expect(status).toBe(502)
      expect(ms).toBeLessThan(answeredWithinMs)
    }

    on.gateway.behaviour = 'pass'
    const last = { type: 'A', host: 'last', value: '192.0.2.1', ttl: 300 }
    expect((await call(first, token, 'POST', '/hung.example/records', last)).status).toBe(200)
    const { body } = await call(first, token, 'GET', '/hung.example/records')
    expect(body['data'].records).toMatchObject([{ host: 'last' }])
    expect((await on.run('dns', 'sync')).code).toBe(0)
    expect(await on.held('hung.example')).toEqual([...(before ?? []), 'last.hung.example. A 300 192.0.2.1'].sort())
  })

  // What follows does not depend on the database.
  if (kind === 'postgres') return

  it('502 for changes of other zones within the same deadline, and no queued change is sent later', async () => {
    const [server = { url: '' }] = servers
    const zones = ['a.example', 'b.example', 'c.example', 'd.example']
    for (const zone of zones) expect((await call(server, token, 'POST', '', { zone })).status).toBe(200)

    on.gateway.behaviour = { delayMs: 60_000 }
    on.gateway.requests.length = 0
    const record = { type: 'A', host: 'www', value: '192.0.2.1' }
    const answers = await Promise.all(zones.map((zone) => call(server, token, 'POST', `/${zone}/records`, record)))
    expect(answers.map(({ status }) => status)).toEqual(zones.map(() => 502))
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(answeredWithinMs)
    // A call that was sent in the last millisecond before the deadline is on its way.
    await sleep(500)
    const { length } = on.gateway.requests
    // A failed request drops its queued call to PowerDNS.
    await sleep(3_000)
    expect(on.gateway.requests).toHaveLength(length)
  })
})
