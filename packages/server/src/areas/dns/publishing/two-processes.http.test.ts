import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { ask } from '../../../../test/dns-ask.js'
import { startTwoServers, type TwoServers } from '../../../../test/two-servers.js'
import { zoneClient, type ZoneClient } from '../../../../test/zone-owner.js'

/** Two servers on one database: the nameserver of each serves the changes of the other, and so does a later server. */

const a = (host: string, value = '192.0.2.1') => ({ type: 'A', host, value, ttl: 300 })

/** Four intervals of the zone follower, for a busy machine. */
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 5000, interval: 20 })

describe.each(databaseKinds)('two servers on %s', (kind) => {
  let on: TwoServers
  /** The zone through the first server, and through the other. */
  let here: ZoneClient
  let there: ZoneClient
  beforeAll(async () => {
    on = await startTwoServers(kind)
  })
  afterAll(() => on.stop())
  beforeEach(async () => {
    here = await on.owner.claim()
    there = on.through(on.other, here.zone)
  })

  it('a record that one creates, changes or deletes: the other serves the change within a second', async () => {
    const { id } = await here.add(a('www'))
    await soon(async () => expect(await there.served('www', 'A')).toEqual(['300 192.0.2.1']))
    await there.update(id, { value: '192.0.2.2', ttl: 60 })
    expect(await there.served('www', 'A')).toEqual(['60 192.0.2.2'])
    await soon(async () => expect(await here.served('www', 'A')).toEqual(['60 192.0.2.2']))
    await here.remove(id)
    await soon(async () => expect(await there.served('www', 'A')).toEqual([]))
    await soon(async () => expect(await there.serial()).toBe(await here.serial()))
  })

  it('a zone that one has just created: the other accepts a record for it at once', async () => {
    for (let i = 0; i < 10; i++) {
      const { zone } = await on.owner.claim()
      const fresh = { ...there, ...zoneClient(on.other, on.owner.call, zone) }
      const { body } = await on.other.call('POST', fresh.path, { token: on.owner.token, body: a('www') })
      expect(body).toMatchObject({ success: true })
      expect(await fresh.served('www', 'A')).toEqual(['300 192.0.2.1'])
    }
  })

  it('a record that one creates, changes or deletes: the other lists the change at once, never a stale list', async () => {
    const listed = async (filter = '') => {
      const { body } = await on.other.call('GET', there.path + filter, { token: on.owner.token })
      return body['data'].records.map(({ value }: { value: string }) => value) as string[]
    }
    expect(await listed()).toEqual([])
    const { id } = await here.add(a('www'))
    expect([await listed(), await listed('?type=A'), await listed('?type=MX')]).toEqual([
      ['192.0.2.1'],
      ['192.0.2.1'],
      [],
    ])
    await here.update(id, { value: '192.0.2.2' })
    expect([await listed(), await listed('?type=A')]).toEqual([['192.0.2.2'], ['192.0.2.2']])
    await here.remove(id)
    expect([await listed(), await listed('?type=A')]).toEqual([[], []])
  })

  it('parallel writes of both to one zone: no record is lost, and both serve all records', async () => {
    for (let i = 0; i < 30; i++) await (i % 3 === 1 ? there : here).add(a(`turn${i}`))
    await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? here : there).add(a(`race${i}`))))
    const hosts = [
      ...Array.from({ length: 30 }, (_, i) => `turn${i}`),
      ...Array.from({ length: 40 }, (_, i) => `race${i}`),
    ]
    const { records } = (await here.list()).body['data']
    expect(new Set(records.map(({ id }: { id: number }) => id)).size).toBe(70)
    for (const server of [here, there])
      await soon(async () => {
        const served = await Promise.all(hosts.map((host) => server.served(host, 'A')))
        expect(served.filter(({ length }) => length === 0)).toEqual([])
      })
    await soon(async () => expect(await there.serial()).toBe(await here.serial()))
  })

  it('a CNAME and an address created in parallel at one name: exactly one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        here.create(a(`round${round}`)),
        there.create({ type: 'CNAME', host: `round${round}`, value: 'target.example.net' }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  it('a database failure is logged once, and the server serves later changes', async () => {
    await on.site.sql('alter table dns_zone rename to away')
    const failures = () =>
      on.other.log.filter((line) => line.includes('zone changes of other processes could not be loaded'))
    await vi.waitFor(() => expect(failures()).toHaveLength(1), 2000)
    await on.site.sql('alter table away rename to dns_zone')
    await here.add(a('after'))
    await soon(async () => expect(await there.served('after', 'A')).toEqual(['300 192.0.2.1']))
    expect(failures()).toHaveLength(1)
  })

  it('a later server serves all records from the start, also of released zones', async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => `host${i}`)
    for (const host of hosts) await here.add(a(host))
    await here.add({ type: 'TXT', host: '*.wild', value: 'grüße "quoted"' })
    await here.add({ type: 'MX', value: 'mail.example.net', priority: 10 })
    const empty = await on.owner.claim()
    expect((await on.owner.call('DELETE', `/v1/dns/zones/${here.zone}`)).status).toBe(200)

    const next = await on.site.another()
    try {
      const zone = on.through(next, here.zone)
      for (const host of hosts) expect(await zone.served(host, 'A')).toEqual(['300 192.0.2.1'])
      expect(await zone.served('any.wild', 'TXT')).toEqual(['3600 grüße "quoted"'])
      expect(await zone.served('@', 'MX')).toEqual(['3600 10 mail.example.net'])
      await soon(async () => expect(await here.serial()).toBe(await zone.serial()))
      expect(await zoneClient(next, on.owner.call, empty.zone).serial()).toBe(await empty.serial())
      expect(await ask(next.dnsPort, 'unknown.example', 'A')).toMatchObject({ rcode: 'REFUSED' })
    } finally {
      await next.stop()
    }
  })
})
