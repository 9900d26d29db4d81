import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSms, type SmsSite } from '../../../../test/sms-site.js'
import { intakeRow } from '../intake-row.js'
import { digest } from '../keys/key.js'
import { MessageBatches } from './batches.js'
import { intakeStore, type DeviceKey, type IntakeStore } from './intake-store.js'

/** Messages of one key that arrive together. */

describe.each(databaseKinds)('batches of SMS messages on %s', (kind) => {
  let site: SmsSite
  let store: IntakeStore
  beforeAll(async () => {
    site = await startSms(kind)
    store = intakeStore(site.app.database, 0)
  })
  afterEach(() => site.revokeAll())
  afterAll(() => site.stop())

  async function createKey(): Promise<DeviceKey> {
    const { key } = await site.createKey()
    const found = await store.find(digest(key))
    if (!found) throw new Error('The key does not exist.')
    return found
  }
  const row = (key: DeviceKey, body: string) => intakeRow({ ...text, body, deviceStamp: body }, key, Date.now())
  const total = async () => (await site.messages('?limit=1')).total as number
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i))

  it('batches have at most 100 messages and 256 KiB, and the messages get ids without gaps', async () => {
    const key = await createKey()
    const sizes: number[] = []
    const batches = new MessageBatches((of, messages) => {
      sizes.push(messages.length)
      return store.store(of, messages)
    })
    const before = await total()
    const long = numbers(8).map((n) => n + 'x'.repeat(40_000))
    const answers = await Promise.all([...numbers(150), ...long].map((body) => batches.store(key, row(key, body))))
    expect(answers).toEqual(Array(158).fill('stored'))
    expect(sizes).toEqual([100, 56, 2])
    const { messages, total: after } = await site.messages('?limit=3')
    expect(after).toBe(before + 158)
    expect(messages.map(({ id }: { id: number }) => id)).toEqual([after, after - 1, after - 2])
  })

  it('batches store repeats once, within a batch and of earlier ones', async () => {
    const key = await createKey()
    const batches = new MessageBatches(store.store)
    const before = await total()
    const storeAll = (...bodies: string[]) => Promise.all(bodies.map((body) => batches.store(key, row(key, body))))
    expect(await storeAll('a', 'b', 'a')).toEqual(['stored', 'stored', 'repeat'])
    expect(await storeAll('c', 'a', 'd', 'a', 'b', 'e')).toEqual([
      'stored',
      'repeat',
      'stored',
      'repeat',
      'repeat',
      'stored',
    ])
    expect(await storeAll('a', 'b')).toEqual(['repeat', 'repeat'])
    expect(await total()).toBe(before + 5)
    const { messages } = await site.messages('?limit=5')
    expect(messages.map(({ id, body }: { id: number; body: string }) => [id, body])).toEqual(
      ['e', 'd', 'c', 'b', 'a'].map((body, i) => [before + 5 - i, body]),
    )
  })

  it('batches store a text without a time once, also in a batch that spans two periods', async () => {
    const key = await createKey()
    const batches = new MessageBatches(store.store)
    const period = Math.floor(Date.now() / 600_000) * 600_000
    const rows = [period - 1, period].map((now) => intakeRow({ ...text, deviceStamp: undefined }, key, now))
    expect(await Promise.all(rows.map((message) => batches.store(key, message)))).toEqual(['stored', 'repeat'])
  })

  it('messages are not stored with a key that was revoked or got a signing key', async () => {
    const key = await createKey()
    const batches = new MessageBatches(store.store)
    const before = await total()
    expect(await batches.store({ ...key, sealed: Buffer.from('x') }, row(key, 'sealed'))).toBe('changed')
    await site.revokeAll()
    const answers = await Promise.all(numbers(3).map((body) => batches.store(key, row(key, body))))
    expect(answers).toEqual(Array(3).fill('changed'))
    expect(await total()).toBe(before)
  })

  it('the messages of a batch fail together if the database fails, and the next batch is stored', async () => {
    const key = await createKey()
    const batches = new MessageBatches(store.store)
    await site.sql('alter table sms_message rename to hidden')
    const answers = await Promise.allSettled(numbers(3).map((body) => batches.store(key, row(key, `failed ${body}`))))
    await site.sql('alter table hidden rename to sms_message')
    expect(answers.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    expect(await batches.store(key, row(key, 'failed 0'))).toBe('stored')
    const { messages, total: after } = await site.messages('?limit=1')
    expect(messages[0].id).toBe(after)
  })
})

const text = { from: '1', to: null, body: 'two periods', sim: null, device: null, receivedAt: undefined }
