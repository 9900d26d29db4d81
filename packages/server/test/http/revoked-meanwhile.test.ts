import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../app.js'
import { startSite, type Browser, type Site } from '../site.js'
import { expectError, send, type HttpAnswer } from '../raw-http.js'

/** A client may send the body minutes after the headers. A revocation in between takes effect. */

describe.each(databaseKinds)('a write whose credentials change before its body ends, on %s', (kind) => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite(kind)
    await site.account('ada@example.com')
    browser = await site.browser('ada@example.com')
  })
  afterAll(() => site.stop())

  /** Long enough for the server to authenticate the headers. */
  const untilIdentified = () => delay(200)

  /** Sends the headers and half of the body, waits for `meanwhile`, and sends the rest. */
  async function sendSlowly(
    [method, path, body]: readonly [string, string, string],
    headers: Record<string, string>,
    meanwhile: () => Promise<unknown>,
  ): Promise<HttpAnswer> {
    const half = body.length >> 1
    const outgoing = request(site.url + path, {
      method,
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    })
    outgoing.write(body.slice(0, half))
    await untilIdentified()
    await meanwhile()
    outgoing.end(body.slice(half))
    const [response] = await once(outgoing, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode, headers: response.headers, text, body: JSON.parse(text) as Envelope }
  }

  async function newToken(): Promise<{ id: number; bearer: Record<string, string> }> {
    const { body } = await browser.call('POST', '/keys', { body: { name: randomUUID(), scopes: ['*'] } })
    return { id: body['data'].id, bearer: { authorization: `Bearer ${body['data'].token}` } }
  }

  const nickname = async () => (await browser.call('GET', '/session')).body['data'].user.nickname as string
  const rename = ['POST', '/v1/account/profile', '{"field":"nickname","value":"Mallory"}'] as const

  it('401 and no change after the token was revoked', async () => {
    const { id, bearer } = await newToken()
    const answer = await sendSlowly(rename, bearer, () => browser.call('POST', '/keys/revoke', { body: { id } }))
    expectError(answer, 'unauthorized')
    expect(await nickname()).toBe('')
  })

  it('401 and no change also for an operation that takes no fields', async () => {
    const other = await site.browser('ada@example.com')
    const { id, bearer } = await newToken()
    const answer = await sendSlowly(['POST', '/v1/account/sessions/revoke-all', '{}'], bearer, () =>
      browser.call('POST', '/keys/revoke', { body: { id } }),
    )
    expectError(answer, 'unauthorized')
    expect((await other.call('GET', '/session')).status).toBe(200)
  })

  it('401 and no new token after the session has ended', async () => {
    const ended = await site.browser('ada@example.com')
    const keysBefore = (await browser.call('GET', '/keys')).body['data'].keys
    const headers = { cookie: ended.cookie, origin: site.url }
    const answer = await sendSlowly(['POST', '/console/api/keys', '{"name":"kept","scopes":["*"]}'], headers, () =>
      ended.call('POST', '/session/sign-out'),
    )
    expectError(answer, 'unauthorized')
    expect((await browser.call('GET', '/keys')).body['data'].keys).toEqual(keysBefore)
  })

  it('403 forbidden_scope after the token has lost the scope', async () => {
    const { id, bearer } = await newToken()
    const answer = await sendSlowly(rename, bearer, () =>
      site.sql(`update token set scopes = 'dns:read' where id = ${id}`),
    )
    expectError(answer, 'forbidden_scope')
    expect(await nickname()).toBe('')
  })

  it('200 for a slow body if the token stays valid', async () => {
    const { bearer } = await newToken()
    const same = rename.map((part) => part.replace('Mallory', 'Ada')) as unknown as typeof rename
    expect((await sendSlowly(same, bearer, () => Promise.resolve())).status).toBe(200)
    expect(await nickname()).toBe('Ada')
    expect((await send(site.url, 'GET', '/v1/account/me', { headers: bearer })).body['data'].user.nickname).toBe('Ada')
    await browser.call('POST', '/account/profile', { body: { field: 'nickname', value: '' } })
  })
})
