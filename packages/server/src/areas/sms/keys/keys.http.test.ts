import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '@svc/contract'
import { forwarderKeysMax } from '@svc/contract/limits'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { startSms, type SmsSite } from '../../../../test/sms-site.js'

/** The forwarder keys of an account. */

it('an account has at most five forwarder keys at a time, as section 8 of the specification says', () => {
  expect(areas.sms.keyCreate.summary).toMatch(/at most five at a time/)
  expect(forwarderKeysMax).toBe(5)
})

describe.each(databaseKinds)('forwarder keys on %s', (kind) => {
  let site: SmsSite
  let other: TestApp
  beforeAll(async () => {
    site = await startSms(kind)
    other = await site.another()
  })
  afterEach(() => site.revokeAll())
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  const list = async () => (await site.sms('GET', '/keys')).body['data'].keys as { id: number; label: string }[]

  it('forwarder keys are shown once, and only their SHA-256 is stored', async () => {
    const made = await site.sms('POST', '/keys', { label: 'Phone at the office' })
    const { key, ...rest } = made.body['data']
    expect(key).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(rest).toMatchObject({ label: 'Phone at the office', prefix: key.slice(0, 8), has_signing_key: false })
    expect(await list()).toEqual([{ ...rest, last_used_at: null }])
    await site.post(key, { from: '1', text: 'x' })
    expect(await site.everythingKept()).not.toContain(key)
    expect(site.log.join()).not.toContain(key)
  })

  it('an account has five forwarder keys at most, also when two processes create them in parallel', async () => {
    const create = (app: Pick<TestApp, 'call'>, label: string) =>
      app.call('POST', '/v1/sms/keys', { token: site.ownerToken, body: { label } })
    const made = await Promise.all(['1', '2', '3', '4', '5', '6'].map((n, i) => create(i % 2 ? site : other, n)))
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 400])
    const refused = made.find(({ status }) => status === 400)
    expect(refused?.body['message']).toBe('The account has 5 forwarder keys: revoke one of them first.')
    expect(await list()).toHaveLength(5)
  })

  it('the ids of forwarder keys are never used again', async () => {
    const first = await site.createKey()
    await site.revokeAll()
    expect((await site.createKey()).id).toBeGreaterThan(first.id)
  })

  it('the database refuses a sixth forwarder key, and two in one slot', async () => {
    await site.createKey()
    const copy = (slot: number) =>
      site.sql(
        `insert into sms_key (account_id, slot, label, prefix, hash, created_at) ` +
          `select account_id, ${String(slot)}, label, prefix, '${kind === 'postgres' ? '\\x01' : 'x'}', created_at from sms_key`,
      )
    await expect(copy(1)).rejects.toThrow(/unique/i)
    await expect(copy(6)).rejects.toThrow(/check/i)
  })

  it.each(['line\nbreak', '\u202egnp.exe'])('400 for the label %j', async (label) => {
    const answer = await site.sms('POST', '/keys', { label })
    expect(answer.body).toMatchObject({ error: 'bad_request', message: expect.stringContaining('label') as string })
  })

  it('404 for a key that is revoked twice, 403 for one of another account', async () => {
    const { id } = await site.createKey()
    const stranger = await site.token(await site.account('eve@example.com'), 'sms:write')
    const asStranger = await site.call('DELETE', `/v1/sms/keys?id=${String(id)}`, { token: stranger })
    expect([asStranger.status, asStranger.body['error']]).toEqual([403, 'forbidden'])
    expect((await site.sms('DELETE', `/keys?id=${String(id)}`)).body['data']).toEqual({ id, revoked: true })
    expect((await site.sms('DELETE', `/keys?id=${String(id)}`)).status).toBe(404)
  })

  it('forwarder keys note their use to the minute', async () => {
    const { key } = await site.createKey()
    const lastUse = async () => (await site.sms('GET', '/keys')).body['data'].keys[0].last_used_at as string
    const before = Date.now()
    await site.post(key, { from: '1', text: 'first' })
    const first = await lastUse()
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before)
    await site.post(key, { from: '1', text: 'second' })
    expect(await lastUse()).toBe(first)
    // Also after a time that was noted while the clock was ahead.
    for (const change of ['- 60000', '+ 3600000']) {
      const noted = Date.now()
      await site.sql(`update sms_key set last_used_at = last_used_at ${change}`)
      await site.post(key, { event: 'system:ping', deviceId: 'x', payload: {} })
      const use = Date.parse(await lastUse())
      expect([use >= noted, use <= Date.now()]).toEqual([true, true])
      await site.sql(`update sms_key set last_used_at = last_used_at ${change}`)
      await site.post(key, { from: '1', text: change })
      expect(Date.parse(await lastUse())).toBeLessThanOrEqual(Date.now())
    }
  })
})
