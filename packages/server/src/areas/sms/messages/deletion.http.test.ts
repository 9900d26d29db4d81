import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSms, type SmsSite } from '../../../../test/sms-site.js'
import type { Browser } from '../../../../test/site.js'
import { retentionJob, type MessageLimits } from './retention.js'

/** Messages that the user deletes in the console. */

const messagesMax = 20

describe.each(databaseKinds)('the deletion of SMS messages on %s', (kind) => {
  let site: SmsSite
  let browser: Browser
  let key: string
  beforeAll(async () => {
    site = await startSms(kind, { sms: { retentionDays: 0, messagesMax } })
    browser = await site.browser('ada@example.com')
    key = (await site.createKey()).key
  })
  afterAll(() => site.stop())

  const remove = (ids: readonly number[]) => browser.call('POST', '/sms/messages/delete', { body: { ids } })
  const deletedOf = async (ids: readonly number[]) => (await remove(ids)).body['data'].deleted as number
  const ids = async (): Promise<number[]> => {
    const { messages, total } = await site.messages()
    expect(total).toBe(messages.length)
    return messages.map(({ id }: { id: number }) => id)
  }
  const range = (last: number, first: number) => Array.from({ length: last - first + 1 }, (_, i) => last - i)
  const post = async (count: number) => {
    for (let n = 0; n < count; n++) await site.post(key, { from: '1', text: `${String(n)} ${String(Math.random())}` })
  }
  const run = (limits: MessageLimits) => retentionJob(site.app.database, limits).run(new AbortController().signal)

  it('deletes the messages with the given ids, once, and ignores the others', async () => {
    await post(10)
    expect(await deletedOf([3, 7, 7, 8, 99])).toBe(3)
    expect(await deletedOf([3])).toBe(0)
    expect(await ids()).toEqual([10, 9, 6, 5, 4, 2, 1])
    expect(await deletedOf([1, 2, 10])).toBe(3)
    expect(await ids()).toEqual([9, 6, 5, 4])
  })

  it.each([[[]], [range(501, 1)], [['1']], [[0]]])('400 for %j: no id, more than 500, or not an id', async (given) => {
    expect((await browser.call('POST', '/sms/messages/delete', { body: { ids: given } })).status).toBe(400)
  })

  it('deletes no message of another account', async () => {
    await site.account('eve@example.com')
    const eve = await site.browser('eve@example.com')
    const answer = await eve.call('POST', '/sms/messages/delete', { body: { ids: [4, 5, 6] } })
    expect(answer.body['data']).toEqual({ deleted: 0 })
    expect(await ids()).toEqual([9, 6, 5, 4])
  })

  it('stores a deleted message again if a device forwards it again', async () => {
    const message = { from: '1', text: 'again', sentStamp: 1768556698000, sim: 'SIM1' }
    await site.post(key, message)
    expect((await site.post(key, message)).body['data'].stored).toBe(false)
    expect(await deletedOf([11])).toBe(1)
    expect((await site.post(key, message)).body['data'].stored).toBe(true)
    expect(await ids()).toEqual([12, 9, 6, 5, 4])
  })

  it('counts only the messages that are kept towards the maximum, and removes the oldest of them', async () => {
    await post(messagesMax - 5)
    expect(await ids()).toEqual([...range(27, 12), 9, 6, 5, 4])
    await post(2)
    expect(await ids()).toEqual([...range(29, 12), 9, 6])
    await run({ retentionDays: 0, messagesMax: 18 })
    expect(await ids()).toEqual(range(29, 12))
  })

  it('removes overdue messages after a gap that is longer than one read of the retention', async () => {
    await deletedOf(range(29, 13))
    await site.sql(`update sms_inbox set last_id = last_id + 5000, deleted = deleted + 5000
      where account_id = ${String(site.owner.id)}`)
    await post(2)
    expect(await ids()).toEqual([5031, 5030, 12])
    await site.sql('update sms_message set stored_at = 1 where id < 5031')
    await run({ retentionDays: 31, messagesMax: 0 })
    expect(await ids()).toEqual([5031])
  })
})
