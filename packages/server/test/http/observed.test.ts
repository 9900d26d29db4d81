import { createHash } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../../../test/servers/index.js'
import { Metrics } from '../../src/http/metrics.js'
import { databaseKinds, passwordOf, startApp, type Envelope, type TestApp } from '../app.js'
import { expectError, send } from '../raw-http.js'

/** Log, metrics and probes: one log line for each request, and no secrets. */

const lines = (app: TestApp) => app.log.map((line) => JSON.parse(line) as Envelope)

describe('the log', () => {
  let app: TestApp
  let accountId: number
  let token: string
  beforeAll(async () => {
    app = await startApp()
    const account = await app.account('ada@example.com')
    accountId = account.id
    token = await app.token(account, '*')
  })
  afterAll(() => app.stop())

  it('has exactly one line for each request, with its status and operation', async () => {
    const seen = app.log.length
    const bearer = { authorization: `Bearer ${token}` }
    const calls = [
      ['GET', '/v1/account/me', bearer, 'account.me', 200, true],
      ['GET', '/v1/account/me', {}, 'account.me', 401, false],
      ['HEAD', '/v1/public/time', {}, 'public.time', 200, false],
      ['POST', '/v1/account/profile', bearer, 'account.profileUpdate', 400, true],
      ['GET', '/v1', { accept: 'text/html' }, 'catalogue.show', 302, false],
      ['GET', '/v1/openapi.json', { 'if-none-match': '*' }, 'catalogue.openapi', 304, false],
      ['OPTIONS', '/v1/account/me', {}, 'none', 204, false],
      ['DELETE', '/v1/account/me', bearer, 'none', 405, false],
      ['GET', '/v1/nope', bearer, 'none', 404, false],
      ['GET', '/v1/%zz', {}, 'none', 400, false],
      ['GET', '/healthz', {}, 'none', 200, false],
    ] as const
    const ids: unknown[] = []
    for (const [method, path, headers] of calls)
      ids.push((await send(app.url, method, path, { headers })).headers['x-request-id'])
    await vi.waitFor(() => expect(app.log.length).toBe(seen + calls.length))
    for (const [index, [method, , , operation, status, isSignedIn]] of calls.entries()) {
      const line = lines(app)[seen + index]
      expect(line).toMatchObject({ level: 30, request_id: ids[index], method, operation, status })
      expect(line?.['ms']).toBeGreaterThanOrEqual(0)
      expect(line?.['account_id']).toBe(isSignedIn ? accountId : undefined)
    }
  })

  it('contains no token, body, query or cookie', async () => {
    const secrets = [
      'seekrit-nickname',
      'seekrit-query',
      'seekrit-path',
      'seekrit-agent',
      passwordOf('ada@example.com'),
      token,
    ]
    const [nickname, query, path, agent] = secrets
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': String(agent),
    }
    await send(app.url, 'POST', '/v1/account/profile', {
      headers,
      body: JSON.stringify({ field: 'nickname', value: nickname }),
    })
    await send(app.url, 'POST', '/v1/account/profile', {
      headers,
      body: JSON.stringify({ [String(nickname)]: nickname }),
    })
    await send(app.url, 'GET', `/v1/public/hash?value=${query}`, { headers })
    await send(app.url, 'GET', `/v1/public/hash?value=1&value=${query}`, { headers })
    await send(app.url, 'GET', `/v1/${path}?access_token=${token}`, { headers })
    await send(app.url, 'GET', `/v1/%zz${path}`, { headers })
    const { headers: signedIn } = await send(app.url, 'POST', '/console/api/session/sign-in', {
      headers: { origin: app.url, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: passwordOf('ada@example.com') }),
    })
    const cookie = String(signedIn['set-cookie']?.[0]).split(';')[0]?.split('=')[1]
    expect(cookie).toMatch(/.{30}/)
    await send(app.url, 'GET', '/console/api/session', { headers: { cookie: `svc_session=${cookie}` } })
    const log = app.log.join('')
    expect(log).toContain('session.whoAmI')
    const digest = createHash('sha256').update(token).digest('hex')
    for (const secret of [...secrets, String(cookie), digest]) expect(log).not.toContain(secret)
  })
})

describe.each(databaseKinds)('with a closed %s database', (kind) => {
  let app: TestApp
  let token: string
  beforeAll(async () => {
    app = await startApp(kind)
    token = await app.token(await app.account('ada@example.com'), '*')
    await send(app.url, 'GET', '/readyz')
    await app.app.database.close()
  })
  afterAll(async () => {
    vi.spyOn(app.app.database, 'close').mockResolvedValue()
    await app.stop()
  })

  it('500 internal_error without details, and a log line with the stack and the same request_id', async () => {
    const answer = await send(app.url, 'GET', '/v1/account/me', { headers: { authorization: `Bearer ${token}` } })
    expectError(answer, 'internal_error')
    expect(answer.body['message']).toBe("Internal error. The server's log has the details under this request_id.")
    expect(Object.keys(answer.body)).toEqual(['success', 'error', 'message', 'request_id'])
    const of = lines(app).filter((line) => line['request_id'] === answer.body['request_id'])
    expect(of).toMatchObject([
      { level: 50, msg: 'internal error', err: { stack: expect.stringMatching(/\n {4}at .*tokens\/authenticator/) } },
      { level: 30, status: 500, operation: 'account.me' },
    ])
  })

  it('502 upstream_error for the readiness probe', async () => {
    expectError(await send(app.url, 'GET', '/readyz'), 'upstream_error')
  })

  it('200 for the liveness probe and for operations that need no database', async () => {
    expect((await send(app.url, 'GET', '/healthz')).body).toMatchObject({ success: true, data: { status: 'ok' } })
    expect((await send(app.url, 'GET', '/v1/public/hash?value=a')).status).toBe(200)
  })
})

describe('metrics', () => {
  it('metrics are off by default, and never on the port of the API', async () => {
    const app = await startApp()
    expect(app.app.metrics).toBeUndefined()
    for (const path of ['/metrics', '/v1/metrics']) expectError(await send(app.url, 'GET', path), 'not_found')
    await app.stop()
  })

  it('metrics count requests by operation and status, on a separate port', async () => {
    const app = await startApp('sqlite', { metrics: { host: '127.0.0.1', port: 0 } })
    const { metrics } = app.app
    if (metrics === undefined) throw new Error('Metrics are off.')
    const port = await freePort()
    const stop = await metrics.serve('127.0.0.1', port, pino({ level: 'silent' }))
    for (let i = 0; i < 3; i++) await send(app.url, 'GET', '/v1/public/time')
    await send(app.url, 'GET', '/v1/public/hash')
    await send(app.url, 'GET', '/v1/nope?x=1')
    await send(app.url, 'GET', '/v1/%zz')
    await vi.waitFor(async () => {
      const { text, headers, status } = await send(`http://127.0.0.1:${port}`, 'GET', '/metrics')
      expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
      for (const [operation, code, count] of [
        ['public.time', 200, 3],
        ['public.hash', 400, 1],
        ['none', 404, 1],
        ['none', 400, 1],
      ] as const)
        expect(text).toContain(
          `svc_http_request_duration_seconds_count{operation="${operation}",status="${code}"} ${count}\n`,
        )
      expect(text).toContain('nodejs_eventloop_lag_seconds')
    })
    expect((await send(`http://127.0.0.1:${port}`, 'GET', '/')).status).toBe(404)
    await stop()
    await app.stop()
  })
})

it('counts failed jobs by name', async () => {
  const metrics = new Metrics()
  metrics.failedJob('dns.zone-follower')
  expect(await metrics.registry.metrics()).toContain('svc_job_failures_total{job="dns.zone-follower"} 1\n')
})

it('answers 500 and logs the error if the metrics cannot be gathered', async () => {
  const metrics = new Metrics()
  vi.spyOn(metrics.registry, 'metrics').mockRejectedValue(new Error('no figures'))
  const log: string[] = []
  const port = await freePort()
  const stop = await metrics.serve('127.0.0.1', port, pino({}, { write: (line: string) => void log.push(line) }))
  expect((await send(`http://127.0.0.1:${port}`, 'GET', '/metrics')).status).toBe(500)
  expect(log.join('')).toContain('no figures')
  await stop()
})

it('500 internal_error without details for an unexpected error of the database, which is logged', async () => {
  const app = await startApp()
  const account = await app.account('ada@example.com')
  const token = await app.token(account, '*')
  // The query for the token succeeds. The query of the handler fails.
  const query = vi.spyOn(app.app.database, 'all').mockRejectedValue(new Error('disk /var/lib/secret is on fire'))
  const answer = await send(app.url, 'GET', '/v1/account/sessions', { headers: { authorization: `Bearer ${token}` } })
  expect(query).toHaveBeenCalled()
  expectError(answer, 'internal_error')
  expect(answer.text).not.toContain('fire')
  expect(app.log.join('')).toContain('on fire')
  await app.stop()
})
