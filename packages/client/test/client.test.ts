import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordOf, startApp, type TestApp } from '../../server/test/app.js'
import { createClient, NoAnswerError, SvcError, type ClientOptions } from '../src/index.js'

/** The client with the real server, at both entry points. */

let server: TestApp
let token: string
beforeAll(async () => {
  server = await startApp()
  token = await server.token(await server.account('ada@example.com'), 'account:read', 'dns:read')
})
afterAll(() => server.stop())

const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: server.url, ...options, door: 'bearer' })

describe('/v1', () => {
  it('returns data for JSON operations', async () => {
    expect((await client({ token }).account.me()).user.email).toBe('ada@example.com')
    expect(await client().public.hash({ value: 'hello', algo: 'md5' })).toMatchObject({ algo: 'md5', length: 5 })
  })

  it.each(['a&b=c', 'a b+c', '50 %', 'naïve ☃', '?#/\\', ''])('sends %j unchanged in the query', async (value) => {
    const { length } = await client().public.hash({ value })
    expect(length).toBe(Buffer.byteLength(value))
  })

  it('returns text for documents, and data with format json', async () => {
    const { catalogue } = client()
    expect(await catalogue.llms()).toMatch(/^# /)
    expect(JSON.parse(await catalogue.openapi())).toHaveProperty('openapi')
    expect(await catalogue.ai()).toBeTypeOf('string')
    expect(await catalogue.ai({ format: 'json' })).toHaveProperty('tools')
    expect(await catalogue.show()).toHaveProperty('endpoints')
  })

  it('accepts a base URL with a trailing slash', async () => {
    expect(await client({ baseUrl: `${server.url}/` }).public.timestamp()).toHaveProperty('unix')
  })

  it('throws an error answer with its additional fields', async () => {
    const error = await refusal(client({ token }).account.profileUpdate({ field: 'nickname', value: 'Ada' }))
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ code: 'forbidden_scope', status: 403 })
    expect(error.message).toContain('account:write')
    expect(error.requestId).toMatch(/^req_[0-9a-f]{16}$/)
    expect(error.extra).toEqual({ required_scopes: ['account:write'], token_scopes: ['account:read', 'dns:read'] })
  })

  it('throws an error answer without additional fields', async () => {
    const error = await refusal(client().account.me())
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, extra: {} })
  })
})

describe('/console/api', () => {
  /** A client that sends cookies and the Origin header like a browser. */
  const browser = () => {
    let cookie = ''
    const sent: (RequestInit | undefined)[] = []
    const asBrowser: typeof fetch = async (url, init) => {
      sent.push(init)
      const headers = { ...(init?.headers as Record<string, string>), cookie, origin: server.url }
      const response = await fetch(url, { ...init, headers })
      cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie
      return response
    }
    return { sent, console: createClient({ baseUrl: server.url, door: 'console', fetch: asBrowser }) }
  }

  it('signs in, then calls operations of the console and of /v1', async () => {
    const { console, sent } = browser()
    expect((await refusal(console.account.me())).code).toBe('unauthorized')

    const email = 'ada@example.com'
    await console.session.signIn({ email, password: passwordOf(email) })

    expect((await console.session.whoAmI()).user.email).toBe(email)
    expect((await console.account.me()).user.email).toBe(email)
    const made = await console.keys.create({ name: 'ci', scopes: ['dns:write'] })
    expect(made.token).toMatch(/^svc_[0-9a-f]{32}$/)
    expect((await console.keys.list()).keys.map((key) => key.name)).toContain('ci')
    expect(await console.public.hash({ value: 'x' })).toHaveProperty('hex')
    expect(sent.every((init) => init?.credentials === 'same-origin')).toBe(true)
  })

  it('never sends a token', async () => {
    const seen: string[] = []
    const note: typeof fetch = (_url, init) => {
      seen.push(...Object.keys(init?.headers as Record<string, string>))
      return Promise.reject(new Error('not needed'))
    }
    const console = createClient({ baseUrl: '', door: 'console', token, fetch: note })
    await expect(console.session.signOut()).rejects.toThrow(NoAnswerError)
    expect(seen).not.toContain('authorization')
  })
})

/** The error answer of a call; fails if the call succeeds. */
const refusal = (call: Promise<unknown>): Promise<SvcError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(SvcError)
      return error as SvcError
    },
  )
