import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startApp, type TestApp } from '../../packages/server/test/app.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../packages/server/test/zone-owner.js'
import { startCommitProxy, type CommitProxy } from '../../packages/server/test/commit-proxy.js'

/**
 * Two servers on one PostgreSQL. One gets the answer to its COMMIT late. Meanwhile the other changes the same records.
 * Both serve that change, and the late answer must not restore older data.
 */
const lateMs = 1500

const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 1200, interval: 20 })

describe('a late answer to a COMMIT', () => {
  let site: Site
  let proxy: CommitProxy
  let lateApp: TestApp
  let owner: Owner
  /** The zone through the server without delay, and through the delayed one. */
  let direct: ZoneClient
  let delayed: ZoneClient
  beforeAll(async () => {
    site = await startSite('postgres')
    if (site.database.kind !== 'postgres') throw new Error('The site is not on PostgreSQL.')
    proxy = await startCommitProxy(site.database.url)
    lateApp = await startApp('sqlite', { database: { ...site.database, url: proxy.url } })
    owner = await ownerOn(site)
  })
  afterAll(async () => {
    await lateApp.stop()
    await proxy.stop()
    await site.stop()
  })
  beforeEach(async () => {
    direct = await owner.claim()
    const call: Owner['call'] = (method, path, body) => lateApp.call(method, path, { token: owner.token, body })
    delayed = zoneClient(lateApp, call, direct.zone)
    await soon(async () => expect(await delayed.serial()).toBe(await direct.serial()))
  })

  const untilCommitted = () => vi.waitFor(() => expect(proxy.hasStruck()).toBe(true), { interval: 5 })
  const a = (host: string, value = '192.0.2.1') => ({ type: 'A', host, value, ttl: 300 })

  it('a late answer to a COMMIT does not restore a deleted record', async () => {
    proxy.arm({ answerDelayMs: lateMs })
    const creation = delayed.create(a('www'))
    await untilCommitted()
    const id = await vi.waitFor(async () => {
      const [record] = (await direct.list()).body['data'].records
      expect(record).toBeDefined()
      return record.id as number
    })
    expect((await direct.remove(id)).status).toBe(200)
    await soon(async () => expect(await delayed.serial()).toBe(await direct.serial()))
    expect((await creation).status).toBe(200)
    expect(await delayed.served('www', 'A')).toEqual([])
    await sleep(600)
    expect(await delayed.served('www', 'A')).toEqual([])
    expect(await delayed.serial()).toBe(await direct.serial())
  })

  it('does not restore an older value, and loses no other record', async () => {
    const { id } = await direct.add(a('www'))
    await soon(async () => expect(await delayed.served('www', 'A')).toEqual(['300 192.0.2.1']))
    proxy.arm({ answerDelayMs: lateMs })
    const change = delayed.update(id, { value: '192.0.2.2' })
    await untilCommitted()
    await vi.waitFor(async () => expect((await direct.get(id)).body['data'].value).toBe('192.0.2.2'))
    await direct.add(a('beside', '192.0.2.9'))
    expect((await direct.update(id, { value: '192.0.2.3' })).status).toBe(200)
    await soon(async () => expect(await delayed.served('www', 'A')).toEqual(['300 192.0.2.3']))
    expect((await change).status).toBe(200)
    await sleep(600)
    expect(await delayed.served('www', 'A')).toEqual(['300 192.0.2.3'])
    expect(await delayed.served('beside', 'A')).toEqual(['300 192.0.2.9'])
  })

  it('publishes the change if no newer one exists', async () => {
    proxy.arm({ answerDelayMs: lateMs })
    const creation = delayed.create(a('www'))
    await untilCommitted()
    expect((await creation).status).toBe(200)
    expect(await delayed.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })
})
