import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Answer, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import type { Reader } from '../../../db/port.js'
import { unlimited } from '../../account/tokens/limits.js'
import { tokenStore } from '../../account/tokens/store.js'
import { claimStore } from '../claims/store.js'
import { importStore } from '../zone-file/import-store.js'
import { historyStore } from './history-store.js'
import { recordsAt } from './past-records.js'
import { historyRetention } from './retention.js'

/** Histories under races, at the end of the serial, and under tokens with rules. */

interface Change {
  readonly serial: number
  readonly action?: string
  readonly removed: readonly ChangedSet[]
  readonly added: readonly ChangedSet[]
}

interface ChangedSet {
  readonly host: string
  readonly type: string
  readonly ttl: number
  readonly values: readonly string[]
}

const valuesIn = (sets: readonly ChangedSet[]): string[] =>
  sets.flatMap(({ host, type, ttl, values }) => values.map((value) => `${host} ${type} ${ttl} ${value}`)).toSorted()

describe.each(databaseKinds)('the history of a zone on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Owner
  let zone: ZoneClient
  let path = ''
  /** The server that is asked. */
  let app: TestApp
  beforeEach(async () => {
    app = site
    ada = await ownerOn(site)
    zone = await ada.claim()
    path = `/v1/dns/zones/${zone.zone}/history`
  })
  const through = (server: TestApp): ZoneClient =>
    zoneClient(server, (method, at_, body) => server.call(method, at_, { token: ada.token, body }), zone.zone)

  const add = (host: string, value = '192.0.2.1') => zone.add({ type: 'A', host, value, ttl: 300 })
  const get = (query: string): Promise<Answer> => app.call('GET', path + query, { token: ada.token })
  const list = async (query = ''): Promise<{ changes: Change[]; next: number | null; total: number }> => {
    const answer = await get(query)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const at = async (serial: number): Promise<string[]> =>
    valuesIn((await get(`/${String(serial)}`)).body['data'].rrsets)
  const revert = (body: object, by = ada.token): Promise<Answer> =>
    app.call('POST', `${path}/revert`, { token: by, body })
  const idOfZone = () => `(select id from dns_zone where name = '${zone.zone}')`

  describe('when the serial begins again at 1', () => {
    const last = 0xffff_ffff
    beforeEach(async () => {
      await add('old')
      await site.sql(`update dns_zone set serial = ${last - 1} where name = '${zone.zone}'`)
      // It loads the zone with this serial.
      app = await site.another()
      zone = through(app)
      for (const host of ['last', 'first', 'second']) await add(host)
    })
    afterEach(() => app.stop())

    it('begins again too, and can be taken back', async () => {
      expect(await list()).toMatchObject({ changes: [{ serial: 2 }, { serial: 1 }], next: null, total: 2 })
      expect(await list('?host=first')).toMatchObject({ changes: [{ serial: 1 }], next: null, total: 1 })
      expect((await list(`?before=${String(last)}`)).changes.map(({ serial }) => serial)).toEqual([2, 1])
      expect(await at(1)).toEqual(['first A 300 192.0.2.1', 'last A 300 192.0.2.1', 'old A 300 192.0.2.1'])
      for (const serial of [last, last - 1, 3]) expectError(await get(`/${String(serial)}`), 'not_found')
      expectError(await revert({ serial: last }), 'not_found')
      expect((await revert({ serial: 1 })).body['data']).toMatchObject({ serial: 3, removed: [{ host: 'first' }] })
      expect((await revert({ to: 1 })).body['data']).toMatchObject({ serial: 4 })
      expect(await at(4)).toEqual(await at(1))
    })

    it('is served with its new serial by all servers', async () => {
      const other = await site.another()
      await add('third')
      for (const client of [zone, through(other)]) {
        await vi.waitFor(async () => expect(await client.serial()).toBe(3), { timeout: 10_000, interval: 20 })
        expect(await client.served('third', 'A')).toEqual(['300 192.0.2.1'])
      }
      await other.stop()
    })

    it('loses only the changes of before in the next run of the retention', async () => {
      const before = await list()
      await historyRetention(site.app.database, { historyDays: 0, historyBytes: 0 }).run(new AbortController().signal)
      expect(await list()).toEqual(before)
      const rows = await site.sql(`select serial from zone_change where zone_id = ${idOfZone()} order by serial`)
      expect(rows.map(({ serial }) => Number(serial))).toEqual([1, 2])
    })

    it('keeps the new changes when the old ones are too old', async () => {
      const before = await list()
      await site.sql(`update zone_change set at = 1 where zone_id = ${idOfZone()} and serial > 2`)
      await historyRetention(site.app.database, { historyDays: 1, historyBytes: 0 }).run(new AbortController().signal)
      expect(await list()).toEqual(before)
    })
  })

  it('404, and no wrong zone, if changes are removed while it is rebuilt', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await add(host)
    const { changes } = await list()
    const [third, second] = [Number(changes[1]?.serial), Number(changes[2]?.serial)]
    const { database } = site.app
    const { serial: latest, records } = await importStore(database).records(ada.account, zone.zone)
    const [row] = await site.sql(`select ${idOfZone()} as id`)
    const key = { zoneId: Number(row?.['id']), accountId: ada.account.id, latest }
    // Before its first page of changes is read.
    const trimming: Reader = {
      one: (query, parameters) => database.one(query, parameters),
      all: async (query, parameters) => {
        await site.sql(`delete from zone_change where zone_id = ${idOfZone()} and serial <= ${String(third)}`)
        return database.all(query, parameters)
      },
    }
    await expect(recordsAt(trimming, key, second, records, nextTurn)).rejects.toThrow(/serial in the history/)
    const contents = await recordsAt(trimming, key, third, records, nextTurn)
    expect([...contents.values()].map(({ host }) => host)).toEqual(['a', 'b', 'c'])
  })

  it('is read by one request of an account at a time, and refused while a hundred wait', async () => {
    await add('a')
    const [{ serial } = { serial: 0 }] = (await list()).changes
    const store = historyStore(site.app.database)
    const reads = await Promise.allSettled(Array.from({ length: 110 }, () => store.at(ada.account, zone.zone, serial)))
    expect(reads.filter(({ status }) => status === 'fulfilled')).toHaveLength(101)
    expect(reads.at(-1)).toMatchObject({ reason: { code: 'internal_error', headers: { 'Retry-After': '1' } } })
    expect(await store.at(ada.account, zone.zone, serial)).toHaveLength(1)
  })

  it('is read no further when the client has left: a list that waits reads nothing, and one under way stops', async () => {
    for (const host of ['a', 'b', 'c']) await add(host)
    const store = historyStore(site.app.database)
    const reads = vi.spyOn(site.app.database, 'all')
    const page = { limit: 10, before: Number.MAX_SAFE_INTEGER }
    const everything = { host: undefined, type: undefined }
    const list = (leavesAfter: number) => {
      let looks = 0
      return store.page(ada.account, zone.zone, everything, page, () => ++looks > leavesAfter)
    }
    await expect(list(0)).rejects.toThrow('The client has left.')
    expect(reads).not.toHaveBeenCalled()
    await expect(list(1)).rejects.toThrow('The client has left.')
    expect((await list(Infinity)).total).toBe(4)
    reads.mockRestore()
  })

  it('stays whole under reverts, changes, releases and claims of another account at the same time', async () => {
    const bob = await ownerOn(site)
    const claims = claimStore(site.app.database)
    for (const host of ['a', 'b', 'c']) await add(host)
    const [{ serial } = { serial: 0 }] = (await list()).changes
    const calls: (() => Promise<Answer>)[] = []
    for (let i = 0; i < 8; i++) {
      calls.push(() => zone.create({ type: 'A', host: `n${i}`, value: '192.0.2.1', ttl: 300 }))
      calls.push(() => revert(i % 2 === 0 ? { to: serial } : { serial: serial + i }))
      calls.push(() => site.call('POST', '/v1/dns/zones', { token: bob.token, body: { zone: zone.zone } }))
      if (i % 3 === 0) calls.push(() => ada.call('DELETE', `/v1/dns/zones/${zone.zone}`))
      if (i % 3 === 1) calls.push(() => ada.call('POST', '/v1/dns/zones', { zone: zone.zone }))
    }
    const given = claims.assign(bob.account, zone.zone).then(() => claims.assign(ada.account, zone.zone))
    const answers = await Promise.all(calls.map((call) => call()))
    await given
    for (const { status, text } of answers) expect([200, 400, 403, 404], text).toContain(status)
    await claims.assign(ada.account, zone.zone)
    const { changes, total } = await list()
    expect(total).toBe(changes.length)
    const state = new Set<string>()
    for (const change of changes.toReversed()) {
      for (const value of valuesIn(change.removed)) expect(state.delete(value)).toBe(true)
      for (const value of valuesIn(change.added)) expect(state.has(value) ? value : state.add(value)).toBe(state)
    }
    const { records } = await importStore(site.app.database).records(ada.account, zone.zone)
    expect(valuesIn(records.map((record) => ({ ...record, values: [record.value] })))).toEqual([...state].toSorted())
  })

  describe('with a token for the A records of www', () => {
    let ruled = ''
    let serials: { both: number; text: number; www: number }
    beforeEach(async () => {
      const rules = [{ kind: 'zone', name: zone.zone, hosts: ['www'], types: ['A'], access: 'write' }] as const
      const terms = { ...unlimited, rules }
      ruled = (await tokenStore(site.app.database).create(ada.account, 'www', ['dns:write'], terms)).token
      await add('www')
      await zone.add({ type: 'TXT', host: 'www', value: 'hidden-text', ttl: 300 })
      await zone.batch([
        { create: { type: 'A', host: 'www', value: '192.0.2.2', ttl: 300 } },
        { create: { type: 'A', host: 'hidden-host', value: '192.0.2.9', ttl: 300 } },
      ])
      const [both = 0, text = 0, www = 0] = (await list()).changes.map(({ serial }) => serial)
      serials = { both, text, www }
    })

    it('shows nothing else, whatever is asked for', async () => {
      const queries = ['', '?type=TXT', '?host=hidden-host', '?limit=1', `?before=${String(serials.both)}`]
      for (const query of [...queries, `/${String(serials.both)}`, `/${String(serials.text)}`]) {
        const { status, text } = await site.call('GET', path + query, { token: ruled })
        expect(status, text).toBe(200)
        expect(text).not.toMatch(/hidden|TXT|192\.0\.2\.9/)
      }
      const { body } = await site.call('GET', path, { token: ruled })
      expect(body['data'].changes.map(({ serial }: Change) => serial)).toEqual([serials.both, serials.www])
    })

    it('takes back nothing else, also not as a dry run, and the refusal names nothing', async () => {
      const before = await list()
      for (const body of [
        { serial: serials.both },
        { serial: serials.text },
        { to: serials.text },
        { to: serials.www },
      ])
        for (const more of [{}, { dry_run: true }]) {
          const refused = await revert({ ...body, ...more }, ruled)
          expectError(refused, 'forbidden_zone')
          expect(refused.text).not.toMatch(/hidden|TXT|192\.0\.2\.9/)
        }
      expect(await list()).toEqual(before)
      expect((await revert({ serial: serials.www }, ruled)).status).toBe(200)
    })
  })

  it('gives a token with rules pages of limited size too', async () => {
    const rules = [{ kind: 'zone', name: zone.zone, hosts: ['www'], access: 'read' }] as const
    const made = await tokenStore(site.app.database).create(ada.account, 'www', ['dns:read'], { ...unlimited, rules })
    await zone.add({ type: 'TXT', host: 'www', value: 'x'.repeat(60_000), ttl: 300 })
    const [{ serial } = { serial: 0 }] = (await list()).changes
    for (let i = 0; i < 10; i++) await revert({ serial: serial + i })
    const page = async (before: string) =>
      (await site.call('GET', path + before, { token: made.token })).body['data'] as Awaited<ReturnType<typeof list>>
    const first = await page('')
    expect(first).toMatchObject({ total: 11, next: first.changes.at(-1)?.serial })
    const second = await page(`?before=${String(first.next)}`)
    expect(second).toMatchObject({ total: 11, next: null })
    expect([...first.changes, ...second.changes].map((change) => change.serial - serial)).toEqual(
      Array.from({ length: 11 }, (_, i) => 10 - i),
    )
  })
})
