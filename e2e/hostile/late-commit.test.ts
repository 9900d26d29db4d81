import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startApp, type TestApp } from '../../packages/server/test/app.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../packages/server/test/zone-owner.js'
import { startCommitProxy, type CommitProxy } from './commit-proxy.js'

/**
 * Two servers on one PostgreSQL. One gets the answer to its COMMIT late: in the meantime the other one changes the same records,
 * and both serve that. The late answer must not bring anything back.
 */
const lateMs = 1500

const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 1200, interval: 20 })

describe('the answer to a COMMIT that comes late', () => {
  let site: Site
  let proxy: CommitProxy
  let late: TestApp
  let owner: Owner
  /** The zone through the server that is answered in time, and through the late one. */
  let here: ZoneClient
  let there: ZoneClient
  beforeAll(async () => {
    site = await startSite('postgres')
    if (site.database.kind !== 'postgres') throw new Error('The site is not on PostgreSQL.')
    proxy = await startCommitProxy(site.database.url)
    late = await startApp('sqlite', { database: { ...site.database, url: proxy.url } })
    owner = await ownerOn(site)
  })
  afterAll(async () => {
    await late.stop()
    await proxy.stop()
    await site.stop()
  })
  beforeEach(async () => {
    here = await owner.claim()
    const call: Owner['call'] = (method, path, body) => late.call(method, path, { token: owner.token, body })
    there = zoneClient(late, call, here.zone)
    await soon(async () => expect(await there.serial()).toBe(await here.serial()))
  })

  const untilCommitted = () => vi.waitFor(() => expect(proxy.hasStruck()).toBe(true), { interval: 5 })
  const a = (host: string, value = '192.0.2.1') => ({ type: 'A', host, value, ttl: 300 })

  it('does not bring a deleted record back', async () => {
    proxy.arm({ answerDelayMs: lateMs })
    const creation = there.create(a('www'))
    await untilCommitted()
    const id = await vi.waitFor(async () => {
      const [record] = (await here.list()).body['data'].records
      expect(record).toBeDefined()
      return record.id as number
    })
    expect((await here.remove(id)).status).toBe(200)
    await soon(async () => expect(await there.serial()).toBe(await here.serial()))
    expect((await creation).status).toBe(200)
    expect(await there.served('www', 'A')).toEqual([])
    await sleep(600)
    expect(await there.served('www', 'A')).toEqual([])
    expect(await there.serial()).toBe(await here.serial())
  })

  it('does not bring an older value back, and loses no other record', async () => {
    const { id } = await here.add(a('www'))
    await soon(async () => expect(await there.served('www', 'A')).toEqual(['300 192.0.2.1']))
    proxy.arm({ answerDelayMs: lateMs })
    const change = there.update(id, { value: '192.0.2.2' })
    await untilCommitted()
    await vi.waitFor(async () => expect((await here.get(id)).body['data'].value).toBe('192.0.2.2'))
    await here.add(a('beside', '192.0.2.9'))
    expect((await here.update(id, { value: '192.0.2.3' })).status).toBe(200)
    await soon(async () => expect(await there.served('www', 'A')).toEqual(['300 192.0.2.3']))
    expect((await change).status).toBe(200)
    await sleep(600)
    expect(await there.served('www', 'A')).toEqual(['300 192.0.2.3'])
    expect(await there.served('beside', 'A')).toEqual(['300 192.0.2.9'])
  })

  it('is served where nothing has changed since', async () => {
    proxy.arm({ answerDelayMs: lateMs })
    const creation = there.create(a('www'))
    await untilCommitted()
    expect((await creation).status).toBe(200)
    expect(await there.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })
})
