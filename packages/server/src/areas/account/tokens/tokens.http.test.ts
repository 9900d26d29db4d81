import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { expectError, send } from '../../../../test/raw-http.js'
import type { Account } from '../../../shared/account.js'

/** Bearer tokens at the door of /v1 (specification, section 5). */

const path = '/v1/account/me'

describe.each(databaseKinds)('tokens on %s', (kind) => {
  let site: Site
  let ada: Account
  let token: string
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
    token = await site.token(ada, 'dns:read')
  })
  afterAll(() => site.stop())

  it.each<[string, (token: string) => string]>([
    ['Bearer', (value) => `Bearer ${value}`],
    ['bearer in lower case (RFC 9110, 11.1)', (value) => `bearer ${value}`],
    ['BEARER', (value) => `BEARER ${value}`],
    ['more spaces between (RFC 9110, 11.6.2)', (value) => `Bearer   ${value}`],
    ['spaces around the value', (value) => `  Bearer ${value} `],
  ])('tokens are accepted with %s', async (_name, header) => {
    expect((await send(site.url, 'GET', path, { headers: { authorization: header(token) } })).status).toBe(200)
  })

  it.each<[string, (token: string) => Record<string, string | string[]>]>([
    ['nothing', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['the scheme only', () => ({ authorization: 'Bearer' })],
    ['the token only', (value) => ({ authorization: value })],
    ['Basic, the token as user', (value) => ({ authorization: basic(`${value}:`) })],
    ['Basic, the token as password', (value) => ({ authorization: basic(`ada@example.com:${value}`) })],
    ['another scheme', (value) => ({ authorization: `Token ${value}` })],
    ['the scheme twice', (value) => ({ authorization: `Bearer Bearer ${value}` })],
    ['no space between', (value) => ({ authorization: `Bearer${value}` })],
    ['a tab between', (value) => ({ authorization: `Bearer\t${value}` })],
    ['an unknown token', () => ({ authorization: `Bearer svc_${'0'.repeat(32)}` })],
    ['its digits in upper case', (value) => ({ authorization: `Bearer svc_${value.slice(4).toUpperCase()}` })],
    ['a digit too few', (value) => ({ authorization: `Bearer ${value.slice(0, -1)}` })],
    ['a digit too many', (value) => ({ authorization: `Bearer ${value}0` })],
    ['more text after it', (value) => ({ authorization: `Bearer ${value} x` })],
    ['another prefix', (value) => ({ authorization: `Bearer key_${value.slice(4)}` })],
    ['two in one header', (value) => ({ authorization: `Bearer ${value}, Bearer ${value}` })],
    ['the header twice', (value) => ({ authorization: [`Bearer ${value}`, `Bearer ${value}`] })],
    ['the header twice, one of them wrong', (value) => ({ authorization: [`Bearer ${value}`, 'Basic eDp5'] })],
    ['the header twice, with different cases', (value) => ({ Authorization: [`Bearer ${value}`, `bearer ${value}`] })],
    ['another header', (value) => ({ 'x-api-key': value, 'proxy-authorization': `Bearer ${value}` })],
    ['a cookie', (value) => ({ cookie: `token=${value}; Authorization=Bearer ${value}; svc_session=${value}` })],
    ['64 kB of header', () => ({ authorization: `Bearer ${'a'.repeat(50_000)}` })],
  ])('401 unauthorized with %s; the answer explains the header and repeats no input', async (_name, headers) => {
    const answer = await send(site.url, 'GET', path, { headers: headers(token) })
    expectError(answer, 'unauthorized')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.text).not.toContain(token)
    expect(answer.text).not.toContain('ada@example.com')
  })

  it.each(['access_token', 'token', 'api_key', 'ACCESS_TOKEN', 'access%5Ftoken'])(
    '401 for a token in the query string as %s, with and without the header',
    async (name) => {
      for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
        expectError(await send(site.url, 'GET', `${path}?${name}=${token}`, { headers }), 'unauthorized')
        expectError(await send(site.url, 'GET', `${path}?a=b&${name}=${token}&c=d`, { headers }), 'unauthorized')
      }
    },
  )

  it.each<[string, (token: string) => string]>([
    ['the scheme before it', (value) => `x=Bearer%20${value}`],
    ['the scheme and a plus before it', (value) => `x=Bearer+${value}`],
    ['other text around it', (value) => `x=${encodeURIComponent(`token "${value}"!`)}`],
    ['encoded letters', (value) => `x=%73%76c_${value.slice(4)}`],
    ['no name', (value) => value],
    ['a malformed parameter beside it', (value) => `%ff%=%e0&x=${value}`],
  ])('401 for a token in the query string with %s, and the log does not have it', async (_name, query) => {
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await send(site.url, 'GET', `${path}?${query(token)}`, { headers })
      expectError(answer, 'unauthorized')
      expect(answer.body['message']).toContain('query string')
      expect(answer.text).not.toContain(token.slice(4))
    }
    expect(site.log.join('\n')).not.toContain(token.slice(4))
  })

  it('a token in the query string is not logged', async () => {
    await send(site.url, 'GET', `${path}?access_token=${token}`)
    await send(site.url, 'GET', path, { headers: { authorization: `Bearer ${token}` } })
    expect(site.log.join('\n')).toContain('account.me')
    expect(site.log.join('\n')).not.toContain(token.slice(4))
  })

  it('only a digest is stored: neither the tables nor the files have the value', async () => {
    const { body } = await (await site.browser(ada.email)).call('POST', '/keys', { body: { name: 'secret' } })
    const everything = await site.everythingKept()
    expect(everything).toContain('secret')
    for (const value of [token, body['data'].token as string]) {
      expect(everything).toContain(value.slice(0, 10))
      expect(everything).not.toContain(value.slice(4))
    }
  })

  it('a write scope permits reads of the same area only', async () => {
    const as = async (...scopes: Parameters<Site['token']>[1][]) => ({ token: await site.token(ada, ...scopes) })
    const list = '/v1/account/sessions'
    expect((await site.call('GET', list, await as('account:write'))).status).toBe(200)
    expect((await site.call('GET', list, await as('*'))).status).toBe(200)
    const refused = await site.call('GET', list, await as('dns:write', 'cred:read'))
    expectError(refused, 'forbidden_scope')
    expect(refused.body).toMatchObject({
      required_scopes: ['account:read', 'account:write'],
      token_scopes: ['dns:write', 'cred:read'],
    })
  })

  it('a revoked token is refused on the next request, in this process and in another', async () => {
    const other = await site.another()
    const browser = await site.browser(ada.email)
    for (let round = 0; round < 5; round++) {
      const made = (await browser.call('POST', '/keys', { body: { name: 'short-lived' } })).body['data']
      for (const server of [site, other]) expect((await server.call('GET', path, made)).status).toBe(200)
      await browser.call('POST', '/keys/revoke', { body: { id: made.id } })
      for (const server of [other, site]) {
        const answer = await server.call('GET', path, made)
        expectError(answer, 'unauthorized')
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
    await other.stop()
  })

  it('a token is refused as soon as its revocation is answered, even by another process under load', async () => {
    const other = await site.another()
    const browser = await site.browser(ada.email)
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    for (let round = 0; round < 4; round++) {
      const made = (await browser.call('POST', '/keys', { body: { name: 'hammered' } })).body['data']
      let revoked = false
      const seen = { before: [] as number[], after: [] as number[] }
      const hammer = async () => {
        while (seen.after.length < 80) {
          const sentAfter = revoked
          seen[sentAfter ? 'after' : 'before'].push(await status(other, agent, made.token as string))
        }
      }
      const hammers = Array.from({ length: 8 }, hammer)
      while (seen.before.length < 20) await new Promise(setImmediate)
      await browser.call('POST', '/keys/revoke', { body: { id: made.id } })
      revoked = true
      await Promise.all(hammers)
      expect(seen.before).toContain(200)
      expect(new Set(seen.after)).toEqual(new Set([401]))
    }
    agent.destroy()
    await other.stop()
  })

  it('last_used_at is null before the first use, then exact to the minute', async () => {
    const browser = await site.browser(ada.email)
    const made = (await browser.call('POST', '/keys', { body: { name: 'used' } })).body['data']
    const lastUse = async () => {
      const { keys } = (await browser.call('GET', '/keys')).body['data']
      return (keys as { id: number; last_used_at: string | null }[]).find(({ id }) => id === made.id)?.last_used_at
    }
    const useElsewhere = async () => {
      const other = await site.another()
      for (let i = 0; i < 3; i++) await other.call('GET', path, made)
      await other.stop()
    }
    expect(await lastUse()).toBeNull()

    const before = Date.now()
    await useElsewhere()
    const first = await lastUse()
    expect(Date.parse(first ?? '')).toBeGreaterThanOrEqual(before)

    await useElsewhere()
    expect(await lastUse()).toBe(first)

    await site.sql(`update token set last_used_at = ${String(before - 61_000)} where id = ${String(made.id)}`)
    await useElsewhere()
    expect(Date.parse((await lastUse()) ?? '')).toBeGreaterThanOrEqual(before)
  })
})

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

const status = (server: TestApp, agent: Agent, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(server.url + path, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })
