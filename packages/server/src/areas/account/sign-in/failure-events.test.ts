import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventReader } from '../../../../test/account-events.js'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { failedSignIns } from './failure-events.js'

const hourMs = 3_600_000
const from = (ip: string) => ({
  ip,
  requestId: 'req_1',
  header: () => undefined,
  behindTrustedProxy: false,
  hasLeft: false,
})

describe.each(databaseKinds)('failed sign-ins as events on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  it('are one for each network and hour, and those of 20 networks at most', async () => {
    const account = await site.account('ada@example.com')
    const events = await eventReader(site, account)
    let now = Date.parse('2026-11-20T09:30:00Z')
    const failed = failedSignIns(site.app.database, () => now)
    const networksOf = async () => {
      await failed.flush()
      return (await events.fresh()).map(({ network }) => network)
    }
    for (let i = 0; i < 3; i++) failed.note(account, from('192.0.2.7'))
    failed.note(account, from('2001:db8:1::1'))
    failed.note(account, from('2001:db8:1:ffff::1'))
    expect(await networksOf()).toEqual(['192.0.2.0/24', '2001:db8:1::/48'])
    failed.note(account, from('192.0.2.8'))
    expect(await networksOf()).toEqual([])
    for (let i = 0; i < 100; i++) failed.note(account, from(`198.51.${String(i)}.1`))
    expect(await networksOf()).toHaveLength(18)
    now += hourMs
    failed.note(account, from('192.0.2.8'))
    expect(await networksOf()).toEqual(['192.0.2.0/24'])
    // The clock of the machine is set back.
    for (const change of [hourMs, -hourMs, hourMs]) {
      now += change
      failed.note(account, from('203.0.113.7'))
    }
    expect(await networksOf()).toEqual(['203.0.113.0/24', '203.0.113.0/24'])
  })

  it('are those of 1,000 accounts at most in an hour', async () => {
    const account = await site.account('last@example.com')
    const events = await eventReader(site, account)
    const failed = failedSignIns(site.app.database, () => 0)
    for (let i = 0; i < 1_000; i++) failed.note({ id: 1_000_000 + i }, from('192.0.2.7'))
    failed.note(account, from('192.0.2.7'))
    await failed.flush()
    expect(await events.fresh()).toEqual([])
  })

  it('leave no row of an account that has been deleted meanwhile', async () => {
    const failed = failedSignIns(site.app.database)
    failed.note({ id: 999_999 }, from('192.0.2.7'))
    await failed.flush()
    expect(await site.sql('select id from account_event where account_id = 999999')).toEqual([])
  })
})
