import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { expectError, openSocket, send } from '../../../test/raw-http.js'
import { json, startSms, type SmsSite } from '../../../test/sms-site.js'

/** Messages that devices post, and the list of them. */

describe.each(databaseKinds)('SMS messages on %s', (kind) => {
  let site: SmsSite
  beforeAll(async () => {
    site = await startSms(kind)
  })
  afterEach(() => site.revokeAll())
  afterAll(() => site.stop())

  it('messages are listed newest first with all fields', async () => {
    const { id, key } = await site.createKey()
    const event = {
      deviceId: 'dev-1',
      event: 'sms:received',
      payload: {
        messageId: 'a1',
        sender: '+15550100',
        recipient: '+15550199',
        simNumber: 2,
        receivedAt: '2026-01-16T09:44:58.000Z',
      },
    }
    const text = 'Your code\nis 123456 😀 \u0000\ud83d'
    const stored = await site.post(key, { ...event, payload: { ...event.payload, message: text } })
    expect([stored.status, stored.body['data']]).toEqual([200, { stored: true }])
    await site.post(key, 'from=%2B1&content=second', { 'content-type': 'application/x-www-form-urlencoded' })
    const { messages } = await site.messages('?limit=2')
    expect(messages[0]).toMatchObject({ from: '+1', body: 'second', to: null, sim: null, device: null, key_id: id })
    expect(messages[1]).toEqual({
      id: messages[0].id - 1,
      from: '+15550100',
      to: '+15550199',
      body: 'Your code\nis 123456 😀 \u{fffd}\u{fffd}',
      sim: 'SIM2',
      device: 'dev-1',
      received_at: '2026-01-16T09:44:58.000Z',
      key_id: id,
    })
    await site.revokeAll()
    expect((await site.messages('?limit=1')).messages[0].key_id).toBe(id)
  })

  it('messages have the time of the server if the clock of the device is wrong', async () => {
    const { key } = await site.createKey()
    const before = Date.now()
    await site.post(key, { from: '1', text: 'early', sentStamp: 0, receivedStamp: 5 })
    const [{ received_at: receivedAt }] = (await site.messages('?limit=1')).messages
    expect(Date.parse(receivedAt as string)).toBeGreaterThanOrEqual(before)
  })

  it('messages are answered in the envelope, without CORS and cookies', async () => {
    const { key } = await site.createKey()
    const { headers, body } = await site.post(
      key,
      { from: '1', text: 'headers' },
      { ...json, origin: 'https://a.example' },
    )
    expect(headers['x-request-id']).toBe(body['request_id'])
    expect(headers['cache-control']).toBe('no-store')
    expect(Object.keys(headers).filter((name) => /^(access-control|set-cookie)/.test(name))).toEqual([])
    expect(body).toMatchObject({ success: true, data: { stored: true } })
  })

  it('404 for an unknown and for a revoked key, before the body arrives', async () => {
    const { id, key } = await site.createKey()
    await site.sms('DELETE', `/keys?id=${String(id)}`)
    for (const path of [key, 'x', 'a'.repeat(32), `${key}x`, `${key}/x`]) {
      const answer = await send(site.url, 'POST', `/sms/${path}`, { body: '{}', headers: json })
      expectError(answer, 'not_found')
      expect(answer.text).not.toContain(key)
    }
    const socket = await openSocket(site.url)
    socket.write(`POST /sms/${key} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n`)
    const [start] = (await once(socket, 'data')) as [Buffer]
    expect(start.toString()).toMatch(/^HTTP\/1\.1 404 /)
    socket.destroy()
  })

  it('400 for an address that is not percent-encoded', async () => {
    expectError(await send(site.url, 'POST', '/sms/%zz', { body: '{}', headers: json }), 'bad_request')
  })

  it('404 on the content host, 405 on the hosts of sites', async () => {
    const { key } = await site.createKey()
    for (const [host, status] of [
      ['content.localhost', 404],
      ['docs.localhost', 405],
    ] as const)
      expect([host, (await site.post(key, { from: '1', text: 'x' }, { ...json, host })).status]).toEqual([host, status])
  })

  it('405 for other methods', async () => {
    const { key } = await site.createKey()
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await send(site.url, method, `/sms/${key}`)
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'POST, OPTIONS'])
    }
  })

  it('stores the longest messages, with every character escaped', async () => {
    const { key } = await site.createKey()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const bodies = [
      ['from=1&content=' + encodeURIComponent('\u{4f60}').repeat(255 * 67), form],
      [`{"from":"1","text":"${'\\u0041'.repeat(255 * 153)}"}`, json],
    ] as const
    for (const [body, headers] of bodies) expect((await site.post(key, body, headers)).body['data'].stored).toBe(true)
    const [inJson, inForm] = (await site.messages('?limit=2')).messages as { body: string }[]
    expect([inForm!.body, inJson!.body]).toEqual(['\u{4f60}'.repeat(255 * 67), 'A'.repeat(255 * 153)])
  })

  it('400 for a body of more than 256 KiB, with and without its length', async () => {
    const { key } = await site.createKey()
    const body = JSON.stringify({ from: '1', text: 'x', padding: 'x'.repeat(262_144) })
    for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
      const answer = await site.post(key, body, headers)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The body must have at most 262144 bytes.')
    }
  })

  it('400 for another form, and nothing is stored or logged of it', async () => {
    const { key } = await site.createKey()
    const { total } = await site.messages()
    const answer = await site.post(key, { subject: 'secret text' })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(/^The body has an unknown format\. Accepted: /)
    expect((await site.messages()).total).toBe(total)
    expect(site.log.join()).not.toMatch(/secret text/)
    expect(site.log.join()).not.toContain(key)
    expect(site.log.at(-2)).toContain('"operation":"sms.intake","status":400')
  })

  it('200 for an event that is not a text message', async () => {
    const { key } = await site.createKey()
    const { total } = await site.messages()
    const answer = await site.post(key, { deviceId: 'x', event: 'system:ping', payload: { health: {} } })
    expect([answer.status, answer.body['data'].stored]).toEqual([200, false])
    expect((await site.messages()).total).toBe(total)
  })

  it('messages are isolated from other accounts', async () => {
    const { key } = await site.createKey()
    await site.post(key, { from: '1', text: 'mine' })
    const eve = await site.token(await site.account('eve@example.com'), '*')
    const seen = await site.call('GET', '/v1/sms/messages', { token: eve })
    expect(seen.body['data']).toEqual({ messages: [], next: null, total: 0 })
  })

  it('messages are paged by id; a page of long messages is shorter', async () => {
    const { key } = await site.createKey()
    for (let i = 0; i < 15; i++) await site.post(key, { from: String(i), text: 'x'.repeat(40_000) })
    const first = await site.messages()
    expect(first.messages).toHaveLength(13)
    const second = await site.messages(`?limit=3&before=${String(first.next)}`)
    expect(second.messages.map(({ from }: { from: string }) => from).slice(0, 2)).toEqual(['1', '0'])
    expect(second.messages[0].id).toBe(first.next - 1)
    expect(second.total).toBe(first.total)
  })
})
