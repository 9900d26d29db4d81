import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf, type CallOptions } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { accountStore } from '../accounts/store.js'
import { hashPassword } from '../accounts/passwords.js'
import { version } from '../../../shared/version.js'
import { sessionStore } from '../sessions/store.js'

/** The console's door: signing in and out, its cookie, and what it refuses. */

describe.each(databaseKinds)("the console's door on %s", (kind) => {
  let site: Site
  let ada: Account
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
  })
  afterAll(() => site.stop())

  const sessions = async () => (await site.sql('select id from session')).length
  const signInWith = (options: CallOptions) =>
    site.call('POST', '/console/api/session/sign-in', {
      body: { email: 'ada@example.com', password: passwordOf('ada@example.com') },
      headers: { origin: site.url },
      ...options,
    })

  it('signs in, then answers with the signed-in user', async () => {
    const answer = await site.signIn('ada@example.com')
    expect(answer.status).toBe(200)
    const { user, session } = answer.body['data']
    expect(user).toMatchObject({ id: ada.id, email: 'ada@example.com', nickname: '' })
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const who = await site.call('GET', '/console/api/session', { headers: { cookie } })
    expect(who.body['data']).toEqual({ user, session, version })
  })

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const [cookie, device, ...more] = (await site.signIn('ada@example.com')).headers.getSetCookie()
    expect(cookie).toMatch(/^svc_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(device).toMatch(/^svc_device=[\w-]{22}\.[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(more).toEqual([])
  })

  it('accepts the email in any case and with spaces around it', async () => {
    for (const email of ['ADA@Example.COM', ' ada@example.com '])
      expect((await site.signIn(email, { password: passwordOf('ada@example.com') })).status).toBe(200)
  })

  it('stores neither the secret nor the password in the database or the log', async () => {
    const browser = await site.browser('ada@example.com')
    await site.signIn('ada@example.com', { password: 'a wrong password' })
    await site.signIn('a-password-typed-as-email@x', { password: 'hunter2-hunter2' })
    const secret = browser.cookie.split('=')[1] ?? ''
    const everything = (await site.everythingKept()) + site.log.join('\n')
    expect(everything).toContain('ada@example.com')
    expect(site.log.length).toBeGreaterThan(0)
    const hex = Buffer.from(secret, 'base64url').toString('hex')
    for (const hidden of [secret, hex, passwordOf('ada@example.com'), 'a wrong password', 'hunter2', 'typed-as-email'])
      expect(everything).not.toContain(hidden)
  })

  it.each<[string, CallOptions]>([
    ['no password', { body: { email: 'ada@example.com' } }],
    ['an empty password', { body: { email: 'ada@example.com', password: '' } }],
    ['a password of more than 1024 characters', { body: { email: 'ada@example.com', password: 'x'.repeat(1025) } }],
    ['a password that is a number', { body: { email: 'ada@example.com', password: 12345678 } }],
    ['no email', { body: { password: 'x' } }],
    ['an unknown field', { body: { email: 'ada@example.com', password: 'x', remember: true } }],
    ['a NUL in the email', { body: '{"email":"a\\u0000","password":"x"}' }],
    ['broken JSON', { body: '{"email":' }],
  ])('400 for %s, and no session begins', async (_name, options) => {
    const before = await sessions()
    const answer = await signInWith(options)
    expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await sessions()).toBe(before)
  })

  describe('origin', () => {
    const wrong: [string, () => Record<string, string>][] = [
      ['no origin', () => ({})],
      ['another host', () => ({ origin: 'http://evil.example' })],
      ['another port', () => ({ origin: 'http://127.0.0.1:1' })],
      ['https instead of http', () => ({ origin: site.url.replace('http:', 'https:') })],
      ['a host with the same beginning', () => ({ origin: `${site.url}.evil.example` })],
      ['null, as sandboxed pages send', () => ({ origin: 'null' })],
      ['a referer instead', () => ({ referer: `${site.url}/console` })],
    ]
    it.each(wrong)(
      '403 forbidden for a write with %s; no session begins and nothing changes',
      async (_name, headers) => {
        const before = await sessions()
        const { cookie } = await site.browser('ada@example.com')
        const body = { field: 'nickname', value: 'Changed' }
        const signedIn = { ...headers(), cookie }
        for (const refused of [
          await signInWith({ headers: headers() }),
          await site.call('POST', '/console/api/account/profile', { body, headers: signedIn }),
          await site.call('POST', '/console/api/keys', { body: { name: 'stolen' }, headers: signedIn }),
          await site.call('POST', '/console/api/account/sessions/revoke-all', { headers: signedIn }),
          await site.call('POST', '/console/api/session/sign-out', { headers: signedIn }),
        ]) {
          expect([refused.status, refused.body['error']]).toEqual([403, 'forbidden'])
          expect(refused.headers.getSetCookie()).toEqual([])
        }
        expect(await sessions()).toBe(before + 1)
        expect(await site.sql('select id from token')).toEqual([])
        expect((await accountStore(site.app.database).byEmail('ada@example.com'))?.nickname).toBe('')
      },
    )

    it('the origin is not required for reads', async () => {
      const { cookie } = await site.browser('ada@example.com')
      expect((await site.call('GET', '/console/api/session', { headers: { cookie } })).status).toBe(200)
      expect((await site.call('HEAD', '/console/api/session', { headers: { cookie } })).status).toBe(200)
    })
  })

  it('sends no Access-Control header with any answer', async () => {
    const { cookie } = await site.browser('ada@example.com')
    const origin = 'http://evil.example'
    for (const [method, path, headers] of [
      ['GET', '/console/api/session', { cookie, origin }],
      ['GET', '/console/api/session', { origin }],
      ['POST', '/console/api/session/sign-in', { origin }],
      ['DELETE', '/console/api/session', { origin }],
      ['GET', '/console/api/nothing', { origin }],
      ['OPTIONS', '/console/api/keys', { origin, 'access-control-request-method': 'POST' }],
    ] as const) {
      const answer = await site.call(method, path, { headers })
      const cors = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect([method, path, cors]).toEqual([method, path, []])
    }
  })

  it('accepts the cookie only under /console/api, and a token only under /v1', async () => {
    const { cookie } = await site.browser('ada@example.com')
    const token = await site.token(ada, '*')
    const cookieAtV1 = await site.call('GET', '/v1/account/me', { headers: { cookie } })
    const tokenAtConsole = await site.call('GET', '/console/api/account/me', { token })
    const tokenAsCookie = await site.call('GET', '/console/api/account/me', {
      headers: { cookie: `svc_session=${token}` },
    })
    const secretAsToken = await site.call('GET', '/v1/account/me', { token: cookie.split('=')[1] })
    for (const { status, body } of [cookieAtV1, tokenAtConsole, tokenAsCookie, secretAsToken])
      expect([status, body['error']]).toEqual([401, 'unauthorized'])
    await site.sql('delete from token')
  })

  it.each(['', 'svc_session=', 'svc_session=x', 'svc_session=%00', 'svc_session=%', '=;=', 'x'.repeat(8000)])(
    '401 for a cookie without a valid session: %j',
    async (cookie) => {
      const answer = await site.call('GET', '/console/api/session', { headers: { cookie } })
      expect([answer.status, answer.body['error']]).toEqual([401, 'unauthorized'])
    },
  )

  it('sign-out ends this session, removes the cookie, and keeps the other sessions', async () => {
    const [here, there] = [await site.browser('ada@example.com'), await site.browser('ada@example.com')]
    const answer = await here.call('POST', '/session/sign-out')
    expect([answer.status, answer.body['data']]).toEqual([200, { signed_out: true }])
    expect(answer.headers.getSetCookie()).toEqual(['svc_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'])
    expect((await here.call('GET', '/session')).status).toBe(401)
    expect((await here.call('POST', '/session/sign-out')).status).toBe(401)
    expect((await there.call('GET', '/session')).status).toBe(200)
  })

  it('revoke-others ends and counts the other sessions of the account; this session and those of other accounts stay valid', async () => {
    await site.account('carol@example.com')
    const [here, there, expired] = [
      await site.browser('carol@example.com'),
      await site.browser('carol@example.com'),
      await site.browser('carol@example.com'),
    ]
    const other = await site.browser('ada@example.com')
    await site.sql(`update session set created_at = 0 where id = ${String(expired.sessionId)}`)
    const answer = await here.call('POST', '/session/revoke-others')
    expect([answer.status, answer.body['data']]).toEqual([200, { revoked: 1 }])
    expect((await there.call('GET', '/session')).status).toBe(401)
    expect((await here.call('GET', '/session')).status).toBe(200)
    expect((await other.call('GET', '/session')).status).toBe(200)
    expect((await here.call('POST', '/session/revoke-others')).body['data']).toEqual({ revoked: 0 })
  })

  it('two simultaneous sign-outs get answers that the contract declares', async () => {
    for (let round = 0; round < 5; round++) {
      const browser = await site.browser('ada@example.com')
      const answers = await Promise.all([1, 2, 3].map(() => browser.call('POST', '/session/sign-out')))
      for (const { status } of answers) expect([200, 401]).toContain(status)
      expect((await browser.call('GET', '/session')).status).toBe(401)
    }
  })

  it('a new password ends every session of the account, and no other session', async () => {
    const eve = await site.account('eve@example.com')
    await site.account('mallory@example.com')
    const browsers = [await site.browser('eve@example.com'), await site.browser('eve@example.com')]
    const other = await site.browser('mallory@example.com')
    await accountStore(site.app.database).setPassword(eve, await hashPassword('the new password'))
    for (const browser of browsers) expect((await browser.call('GET', '/session')).status).toBe(401)
    expect((await other.call('GET', '/session')).status).toBe(200)
    expect((await site.signIn('eve@example.com')).status).toBe(401)
    expect((await site.signIn('eve@example.com', { password: 'the new password' })).status).toBe(200)
  })

  it('a sign-in during a change of the password leaves no session', async () => {
    await site.account('trent@example.com')
    const accounts = accountStore(site.app.database)
    const known = await accounts.byEmail('trent@example.com')
    if (known === undefined) throw new Error('There is no such account.')
    await accounts.setPassword(known, await hashPassword('the new password'))
    const late = sessionStore(site.app.database).begin(known, { ip: '127.0.0.1', userAgent: '' })
    await expect(late).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await site.sql(`select id from session where account_id = ${String(known.id)}`)).toEqual([])
  })
})

describe('with a public URL that has TLS', () => {
  const publicUrl = 'https://api.example.com'
  let site: Site
  beforeAll(async () => {
    site = await startSite('sqlite', { publicUrl })
    await site.account('ada@example.com')
  })
  afterAll(() => site.stop())

  it('the cookie is bound to this host and to TLS (RFC 6265bis, 4.1.3.2)', async () => {
    const cookie = (await site.signIn('ada@example.com')).headers.getSetCookie()[0]
    expect(cookie).toMatch(
      /^__Host-svc_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  it('ignores a cookie under the plain name, which another host could set', async () => {
    const { cookie } = await site.browser('ada@example.com')
    const plain = cookie.replace('__Host-', '')
    expect((await site.call('GET', '/console/api/session', { headers: { cookie } })).status).toBe(200)
    expect((await site.call('GET', '/console/api/session', { headers: { cookie: plain } })).status).toBe(401)
  })

  it('403 forbidden for writes without the origin of the public URL, even with that of the Host header', async () => {
    for (const origin of [site.url, 'http://api.example.com', 'https://api.example.com:8443']) {
      const answer = await site.signIn('ada@example.com', { headers: { origin } })
      expect([origin, answer.status, answer.body['error']]).toEqual([origin, 403, 'forbidden'])
    }
    expect((await site.signIn('ada@example.com')).status).toBe(200)
  })
})
