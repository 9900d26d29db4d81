import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { send } from '../../../../test/raw-http.js'
import { intakeRow } from '../intake-row.js'
import { json, startSms, type SmsSite } from '../../../../test/sms-site.js'

/** Messages that arrive in parallel, at two processes. */

const gateway = (messageId: string, message = 'Your code is 123456') => ({
  deviceId: 'dev-1',
  event: 'sms:received',
  payload: { messageId, sender: '+15550100', message, receivedAt: '2026-01-16T09:44:58.000Z' },
})

describe.each(databaseKinds)('SMS messages at two processes on %s', (kind) => {
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

  const postTo = (app: Pick<TestApp, 'url'>, key: string, body: object) =>
    send(app.url, 'POST', `/sms/${key}`, { headers: json, body: JSON.stringify(body) })
  const total = async () => (await site.messages('?limit=1')).total as number

  it.each([
    ['SMS Gateway for Android', gateway('repeat')],
    ['SmsForwarder', { from: '1', content: 'repeat', timestamp: '1768556698000' }],
    ['Incoming SMS to URL forwarder', { from: '1', text: 'repeat', sentStamp: 1768556698000, sim: 'SIM1' }],
    ['an app without times', { from: '1', text: 'repeat' }],
  ])('stores 15 parallel repeats of %s once', async (_, body) => {
    const { key } = await site.createKey()
    const before = await total()
    const answers = await Promise.all(Array.from({ length: 15 }, (_, i) => postTo(i % 2 ? site : other, key, body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200))
    expect(answers.filter((answer) => answer.body['data'].stored === true)).toHaveLength(1)
    expect(await total()).toBe(before + 1)
    expect((await postTo(other, key, body)).body['data'].stored).toBe(false)
  })

  it('stores messages that differ in anything that tells them apart', async () => {
    const { key } = await site.createKey()
    const forwarder = {
      from: '1',
      text: 'distinct',
      sentStamp: 1768556698000,
      receivedStamp: 1768556699000,
      sim: 'SIM1',
    }
    const distinct = [
      gateway('a'),
      gateway('b'),
      // The id is a hash of 32 bits: another text may have the same one.
      gateway('a', 'Another text'),
      { ...gateway('a'), deviceId: 'dev-2' },
      forwarder,
      { ...forwarder, from: '2' },
      { ...forwarder, text: 'other' },
      { ...forwarder, sentStamp: 1768556698001 },
      { ...forwarder, receivedStamp: 1768556699001 },
      { ...forwarder, sim: 'SIM2' },
      { from: '1', text: 'distinct' },
    ]
    const before = await total()
    await Promise.all(distinct.map((body, i) => postTo(i % 2 ? site : other, key, body)))
    expect(await total()).toBe(before + distinct.length)
    const second = await site.createKey()
    await postTo(site, second.key, forwarder)
    expect(await total()).toBe(before + distinct.length + 1)
  })

  it.each([
    [10, 'does not store', false],
    [20, 'stores', true],
  ])('after %i minutes, %s a text without a time again', async (minutes, _, isStored) => {
    const { id, key } = await site.createKey()
    const body = `balance ${String(minutes)}`
    await site.post(key, { from: '1', text: body })
    // As if the message had come earlier.
    const { identity } = intakeRow(
      { from: '1', to: null, body, sim: null, device: null, receivedAt: undefined, mark: undefined },
      { id },
      Date.now() - minutes * 60_000,
    )
    const bytes = kind === 'postgres' ? `'\\x${identity}'` : `x'${identity}'`
    await site.sql(`update sms_message set identity = ${bytes} where body = '${body}'`)
    expect((await site.post(key, { from: '1', text: body })).body['data'].stored).toBe(isStored)
  })

  it('stores nothing with a key after the answer to its revocation', async () => {
    const { id, key } = await site.createKey()
    const flood = { isOver: false, stored: 0, refused: 0 }
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let i = 0; !flood.isOver; i++) {
        const { status } = await postTo(client % 2 ? site : other, key, gateway(`${String(client)}-${String(i)}`))
        if (status === 200) flood.stored++
        else flood.refused++
      }
    })
    while (flood.stored < 20) await sleep(5)
    expect((await site.sms('DELETE', `/keys?id=${String(id)}`)).status).toBe(200)
    const after = await total()
    while (flood.refused < 40) await sleep(5)
    flood.isOver = true
    await Promise.all(clients)
    expect(await total()).toBe(after)
  })

  it('404 at once for a key that another process has revoked, for messages and other events', async () => {
    const { id, key } = await site.createKey()
    for (const body of [gateway('revoked 1'), { event: 'system:ping' }]) {
      expect((await postTo(other, key, body)).status).toBe(200)
    }
    await site.sms('DELETE', `/keys?id=${String(id)}`)
    const answers = await Promise.all(
      [gateway('revoked 2'), { event: 'system:ping' }].map((b) => postTo(other, key, b)),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })

  it('takes a signing key that another process has set, changed or removed at once', async () => {
    const { id, key } = await site.createKey()
    const ada = await site.browser('ada@example.com')
    const set = (value: string | null) =>
      ada.call('POST', '/sms/keys/signing-key', { body: { id, signing_key: value } })
    const post = async (body: object, signingKey?: string) => {
      const sent = JSON.stringify(body)
      const signature = createHmac('sha256', signingKey ?? '')
        .update(sent)
        .digest('hex')
      const headers = signingKey === undefined ? json : { ...json, 'X-Signature': signature }
      return (await send(other.url, 'POST', `/sms/${key}`, { headers, body: sent })).status
    }
    expect(await post(gateway('unsigned'))).toBe(200)
    await set('first key')
    expect([await post(gateway('s1')), await post({ event: 'system:ping' })]).toEqual([401, 401])
    expect(await post(gateway('s2'), 'first key')).toBe(200)
    await set('second key')
    expect(await post(gateway('s3'), 'second key')).toBe(200)
    expect(await post(gateway('s4'), 'first key')).toBe(401)
    await set('third key')
    expect(await post(gateway('s5'), 'second key')).toBe(401)
    await set(null)
    expect(await post(gateway('s6'))).toBe(200)
  })

  it('numbers messages without gaps', async () => {
    const { key } = await site.createKey()
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => postTo(i % 2 ? site : other, key, gateway(`n${String(i % 20)}`))),
    )
    const ids = (await site.messages()).messages.map((message: { id: number }) => message.id) as number[]
    expect(ids).toEqual(Array.from({ length: await total() }, (_, i) => i + 1).reverse())
  })
})
