import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSms, type SmsSite } from '../../../../test/sms-site.js'
import { retentionJob, type MessageLimits } from './retention.js'

/** Which messages are kept. */

const dayMs = 86_400_000

describe.each(databaseKinds)('the retention of SMS messages on %s', (kind) => {
  let site: SmsSite
  let key: string
  beforeAll(async () => {
    site = await startSms(kind, { sms: { retentionDays: 0, messagesMax: 500 } })
    key = (await site.createKey()).key
  })
  afterAll(() => site.stop())

  const run = (limits: MessageLimits, signal = new AbortController().signal) =>
    retentionJob(site.app.database, limits).run(signal)
  const ids = async (): Promise<number[]> => {
    const { messages, total } = await site.messages()
    expect(total).toBe(messages.length)
    return messages.map(({ id }: { id: number }) => id)
  }
  const range = (last: number, first: number) => Array.from({ length: last - first + 1 }, (_, i) => last - i)

  it('removes the oldest message at once beyond the maximum', async () => {
    await Promise.all(range(510, 1).map((n) => site.post(key, { from: '1', text: String(n) })))
    expect(await ids()).toEqual(range(510, 11))
  })

  it('keeps all messages with the setting 0', async () => {
    await site.sql('update sms_message set stored_at = 1 where id < 100')
    await run({ retentionDays: 0, messagesMax: 0 })
    expect(await ids()).toEqual(range(510, 11))
  })

  it('removes what is older than the setting, of all accounts', async () => {
    const eve = await site.account('eve@example.com')
    const token = await site.token(eve, 'sms:write')
    const made = await site.call('POST', '/v1/sms/keys', { token, body: { label: 'x' } })
    await site.post(made.body['data'].key, { from: '1', text: 'old' })
    await site.post(made.body['data'].key, { from: '1', text: 'new' })
    await site.sql(`update sms_message set stored_at = 1 where account_id = ${String(eve.id)} and id = 1`)
    await site.sql(`update sms_message set stored_at = ${String(Date.now() - 30 * dayMs)} where id = 100`)
    await run({ retentionDays: 31, messagesMax: 0 })
    expect(await ids()).toEqual(range(510, 100))
    const ofEve = await site.call('GET', '/v1/sms/messages', { token: await site.token(eve, 'sms:read') })
    expect(ofEve.body['data']).toMatchObject({ total: 1, messages: [{ body: 'new' }] })
  })

  it('keeps a message before which a younger one was stored, although its own time is old', async () => {
    await site.sql('update sms_message set stored_at = 1 where id = 105')
    await run({ retentionDays: 31, messagesMax: 0 })
    expect(await ids()).toEqual(range(510, 100))
  })

  it('removes messages that were stored while the clock was ahead with the next old one, and not before', async () => {
    const ahead = String(Date.now() + 365 * dayMs)
    const recent = String(Date.now())
    await site.sql(`update sms_message set stored_at = ${recent}`)
    await site.sql(`update sms_message set stored_at = ${ahead} where id < 350`)
    await run({ retentionDays: 31, messagesMax: 0 })
    expect(await ids()).toEqual(range(510, 100))
    await site.sql('update sms_message set stored_at = 1 where id = 350')
    await run({ retentionDays: 31, messagesMax: 0 })
    expect(await ids()).toEqual(range(510, 351))
  })

  it('removes nothing after the stop has begun', async () => {
    await run({ retentionDays: 29, messagesMax: 10 }, AbortSignal.abort())
    expect(await ids()).toHaveLength(160)
  })

  it('removes more than one step if the operator lowers the maximum', async () => {
    await run({ retentionDays: 365, messagesMax: 10 })
    expect(await ids()).toEqual(range(510, 501))
    expect((await site.post(key, { from: '1', text: 'next' })).body['data'].stored).toBe(true)
    expect((await ids())[0]).toBe(511)
  })

  it('removes all messages, and goes on with the next id', async () => {
    await site.sql('update sms_message set stored_at = 1')
    await run({ retentionDays: 1, messagesMax: 10 })
    expect(await ids()).toEqual([])
    await site.post(key, { from: '1', text: 'after' })
    expect(await ids()).toEqual([512])
  })
})
