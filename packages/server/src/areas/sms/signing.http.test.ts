import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { expectError } from '../../../test/raw-http.js'
import type { Browser } from '../../../test/site.js'
import { json, startSms, type SmsSite } from '../../../test/sms-site.js'

/** Devices that sign what they post. */

const signingKey = 'signing-key-of-a-phone'

const signed = (body: string, key = signingKey) => ({
  ...json,
  'X-Timestamp': '1768556698',
  'X-Signature': createHmac('sha256', key).update(`${body}1768556698`).digest('hex'),
})

const message = (text: string) =>
  JSON.stringify({ deviceId: 'd', event: 'sms:received', payload: { messageId: text, sender: '1', message: text } })

describe.each(databaseKinds)('a forwarder key with a signing key on %s', (kind) => {
  let site: SmsSite
  let ada: Browser
  beforeAll(async () => {
    site = await startSms(kind)
    ada = await site.browser('ada@example.com')
  })
  afterEach(() => site.revokeAll())
  afterAll(() => site.stop())

  const setSigningKey = (id: number, value: string | null) =>
    ada.call('POST', '/sms/keys/signing-key', { body: { id, signing_key: value } })

  it('accepts only signed messages', async () => {
    const { key } = await site.createKey({ signing_key: signingKey })
    const body = message('signed')
    const answers = [
      await site.post(key, body, signed(body)),
      await site.post(key, body),
      await site.post(key, body, signed(body, 'another key')),
      await site.post(key, `${body} `, signed(body)),
      await site.post(key, '{"event":"system:ping"}'),
      await site.post(key, 'not a message', signed('not a message')),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401, 401, 400])
    expectError(answers[1]!, 'unauthorized')
    expect((await site.messages()).total).toBe(1)
  })

  it('401 for the format of Kannel, also with a signed body of another message', async () => {
    const { key } = await site.createKey({ signing_key: signingKey })
    const { total } = await site.messages()
    const body = message('captured')
    for (const type of ['application/json', 'text/plain']) {
      const headers = { ...signed(body), 'content-type': type, 'X-Kannel-From': '+15550100' }
      expectError(await site.post(key, body, headers), type === 'text/plain' ? 'unauthorized' : 'bad_request')
    }
    expect((await site.messages()).total).toBe(total)
  })

  it('a signing key is set, changed and removed in the console, and never shown', async () => {
    const { id, key } = await site.createKey()
    const isSet = async () => (await site.sms('GET', '/keys')).body['data'].keys[0].has_signing_key as boolean
    expect((await setSigningKey(id, signingKey)).body['data']).toEqual({ id, has_signing_key: true })
    expect(await isSet()).toBe(true)
    const body = message('console')
    expect((await site.post(key, body)).status).toBe(401)
    expect((await site.post(key, body, signed(body))).body['data'].stored).toBe(true)
    expect((await site.sms('GET', '/keys')).text).not.toContain(signingKey)
    expect(await site.everythingKept()).not.toContain(signingKey)
    expect(site.log.join()).not.toContain(signingKey)
    expect((await setSigningKey(id, null)).body['data']).toEqual({ id, has_signing_key: false })
    expect(await isSet()).toBe(false)
    expect((await site.post(key, message('unsigned'))).body['data'].stored).toBe(true)
  })

  it('a signing key is not shown in an error', async () => {
    const { id } = await site.createKey()
    for (const value of [`${signingKey}\n`, signingKey.repeat(20), [signingKey], 987654321])
      for (const answer of [
        await setSigningKey(id, value as string),
        await site.sms('POST', '/keys', { label: 'x', signing_key: value }),
      ]) {
        expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
        expect(answer.text).not.toMatch(new RegExp(`${signingKey}|987654321`))
        expect(answer.text).toContain('signing_key')
      }
  })

  it('403 for a key of another account, 404 for a nonexistent one', async () => {
    const { id } = await site.createKey()
    await site.account(`eve-${kind}@example.com`)
    const eve = await site.browser(`eve-${kind}@example.com`)
    const asEve = await eve.call('POST', '/sms/keys/signing-key', { body: { id, signing_key: null } })
    expect([asEve.status, asEve.body['error']]).toEqual([403, 'forbidden'])
    expect((await setSigningKey(id + 1000, signingKey)).status).toBe(404)
  })

  it('a signing key cannot be moved to another forwarder key in the database', async () => {
    const [one, two] = [
      await site.createKey({ signing_key: signingKey }),
      await site.createKey({ signing_key: 'other' }),
    ]
    await site.sql(
      `update sms_key set sealed = (select sealed from sms_key where id = ${String(one.id)}) where id = ${String(two.id)}`,
    )
    const body = message('moved')
    expect((await site.post(two.key, body, signed(body))).status).toBe(500)
    expect((await site.post(one.key, body, signed(body))).status).toBe(200)
  })
})
