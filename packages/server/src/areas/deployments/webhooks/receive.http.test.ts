import { once } from 'node:events'
import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { openSocket, readToEnd, send } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'

/** What webhooks keep of the requests that they receive. */

const onContent = { host: 'content.localhost' }

describe.each(databaseKinds)('a webhook on %s', (kind) => {
  let site: Site
  let other: TestApp
  let ada: Browser
  beforeAll(async () => {
    site = await startSite(kind, { outboundAllow: ['127.0.0.1/32'] })
    other = await site.another()
    await site.account('ada@example.com')
    ada = await site.browser('ada@example.com')
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  const create = async (fields: object = {}) =>
    (await ada.call('POST', '/deployments/create', { body: { kind: 'webhook', ...fields } })).body['data']
  const list = async (id: number, query = '') =>
    (await ada.call('GET', `/deployments/${String(id)}/requests${query}`)).body['data']
  const detail = async (id: number, requestId = 1) =>
    (await ada.call('GET', `/deployments/${String(id)}/requests/${String(requestId)}`)).body['data']
  const usesOf = async (id: number) => (await ada.call('GET', `/deployments/${String(id)}`)).body['data'].uses

  const idOf = (request: { id: number }) => request.id

  const methods = METHODS.filter((method) => method !== 'CONNECT')
  it('keeps requests of every method, newest first', async () => {
    const { id, slug } = await create()
    for (const method of methods) {
      const answer = await send(site.url, method, `/h/${slug}`, { headers: onContent })
      expect([method, answer.status, answer.text]).toEqual([method, 200, method === 'HEAD' ? '' : 'ok\n'])
    }
    const { requests, total, next } = await list(id)
    expect(requests.map((request: { method: string }) => request.method)).toEqual(methods.toReversed())
    expect([total, next]).toEqual([methods.length, null])
    expect(await usesOf(id)).toBe(methods.length)
  })

  it('keeps path, query, headers, sender and body as they were sent, without cookies', async () => {
    const { id, slug } = await create()
    const headers = {
      ...onContent,
      'Content-Type': 'application/json; charset=utf-8',
      'X-Event': 'caf\u00e9',
      'x-many': ['1', '2'],
      Cookie: 'session=secret',
      Authorization: 'Basic YWRhOng=',
    }
    const body = Buffer.from('{"text":"h\u00e9llo"}')
    await send(site.url, 'POST', `/h/${slug}/git%2Fhub/a%00/?a=%zz&b=`, { headers, body })
    const request = await detail(id)
    expect(request).toEqual({
      id: 1,
      received_at: expect.stringMatching(/^\d{4}-/) as unknown,
      method: 'POST',
      path: '/git%2Fhub/a%00/',
      query: 'a=%zz&b=',
      ip: '127.0.0.1',
      content_type: 'application/json; charset=utf-8',
      size: 17,
      truncated: false,
      delivery: null,
      headers: expect.arrayContaining([
        { name: 'X-Event', value: 'caf\u00e9' },
        { name: 'x-many', value: '1' },
        { name: 'x-many', value: '2' },
        { name: 'Authorization', value: 'Basic YWRhOng=' },
      ]) as unknown,
      body: '{"text":"h\u00e9llo"}',
      body_encoding: 'utf-8',
      history: [],
    })
    expect(JSON.stringify(request)).not.toContain('secret')
  })

  it('shows a body that is not UTF-8 in base64', async () => {
    const { id, slug } = await create()
    const body = Buffer.from([0, 255, 128, 10])
    await send(site.url, 'PUT', `/h/${slug}`, { headers: onContent, body })
    expect(await detail(id)).toMatchObject({ body: body.toString('base64'), body_encoding: 'base64', size: 4 })
  })

  it.each([
    ['with Content-Length', {}],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('keeps the first 256 KiB of a long body, and marks it: %s', async (_, headers) => {
    const { id, slug } = await create()
    const body = `${'a'.repeat(262_143)}bc${'d'.repeat(500_000)}`
    const answer = await send(site.url, 'POST', `/h/${slug}`, { headers: { ...onContent, ...headers }, body })
    expect(answer.status).toBe(200)
    const request = await detail(id)
    expect(request).toMatchObject({ size: 262_144, truncated: true, delivery: null })
    expect(request.body).toBe(`${'a'.repeat(262_143)}b`)
  })

  it('keeps a body of 256 KiB whole', async () => {
    const { id, slug } = await create()
    await send(site.url, 'POST', `/h/${slug}`, { headers: onContent, body: 'a'.repeat(262_144) })
    expect(await detail(id)).toMatchObject({ size: 262_144, truncated: false })
  })

  it('413 for a long body that would be forwarded, which is not stored', async () => {
    const { id, slug } = await create({ target: 'http://127.0.0.1:9999/' })
    const answer = await send(site.url, 'POST', `/h/${slug}`, { headers: onContent, body: 'a'.repeat(262_145) })
    expect([answer.status, answer.text]).toEqual([
      413,
      expect.stringMatching(/^The body must have at most 262144 bytes/),
    ])
    expect(await list(id)).toMatchObject({ requests: [], total: 0 })
    expect(await usesOf(id)).toBe(0)
  })

  it('cuts long paths and queries in the list, and shows them whole in the detail', async () => {
    const { id, slug } = await create()
    await send(site.url, 'GET', `/h/${slug}/${'p'.repeat(300)}?${'q'.repeat(300)}`, { headers: onContent })
    expect((await list(id)).requests[0]).toMatchObject({ path: `/${'p'.repeat(199)}`, query: 'q'.repeat(200) })
    expect(await detail(id)).toMatchObject({ path: `/${'p'.repeat(300)}`, query: 'q'.repeat(300) })
  })

  it.each(['unknown-slug', '%00', 'UPPER', 'a%20b', '', 'a'.repeat(100)])('404 at /h/%s', async (slug) => {
    expect((await send(site.url, 'POST', `/h/${slug}`, { headers: onContent, body: 'x' })).status).toBe(404)
  })

  it('404 while it is disabled and after it was deleted, and counts no use', async () => {
    const { id, slug } = await create()
    const status = async () => (await send(site.url, 'POST', `/h/${slug}`, { headers: onContent })).status
    await ada.call('POST', '/deployments/toggle', { body: { id, enabled: false } })
    expect(await status()).toBe(404)
    expect(await usesOf(id)).toBe(0)
    await ada.call('POST', '/deployments/toggle', { body: { id } })
    expect(await status()).toBe(200)
    await ada.call('POST', '/deployments/delete', { body: { id } })
    expect(await status()).toBe(404)
  })

  it('404 if it is disabled while the body arrives', async () => {
    const { id, slug } = await create()
    const socket = await openSocket(site.url)
    const answer = readToEnd(socket)
    const head = ['POST /h/SLUG HTTP/1.1', 'Host: content.localhost', 'Content-Length: 2', 'Expect: 100-continue']
    socket.write(`${head.join('\r\n').replace('SLUG', slug)}\r\nConnection: close\r\n\r\n`)
    // The answer shows that the webhook has been found, and its body is awaited.
    await once(socket, 'data')
    await ada.call('POST', '/deployments/toggle', { body: { id, enabled: false } })
    socket.write('ab')
    expect(await answer).toMatch(/HTTP\/1\.1 404 /)
    expect(await usesOf(id)).toBe(0)
  })

  it('counts every use when two processes receive many at once', async () => {
    const { id, slug } = await create()
    const urls = Array.from({ length: 80 }, (_, n) => (n % 2 === 0 ? site.url : other.url))
    const answers = await Promise.all(urls.map((url) => send(url, 'POST', `/h/${slug}`, { headers: onContent })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await usesOf(id)).toBe(80)
    const { requests } = await list(id)
    expect(requests.map(idOf)).toEqual(Array.from({ length: 80 }, (_, n) => 80 - n))
  })

  it('keeps the last 500 requests', async () => {
    const { id, slug } = await create()
    const rows = Array.from(
      { length: 499 },
      (_, n) => `(${String(id)}, ${String(n + 1)}, 1, 'GET', '', '', '', 0, 0, '[]', '')`,
    )
    await site.sql(
      `insert into webhook_request (deployment_id, id, received_at, method, path, query, ip, size, truncated, headers, body) values ${rows.join(',')}`,
    )
    await site.sql(`update deployment set uses = 499, kept = 499 where id = ${String(id)}`)
    for (let n = 0; n < 3; n++) await send(site.url, 'POST', `/h/${slug}`, { headers: onContent })
    const ids: number[] = []
    for (let page = 0, before = 503; page < 5; page++) {
      const { requests, total, next } = await list(id, `?limit=300&before=${String(before)}`)
      // At most 100 in a page, because their rows are read on the event loop.
      expect([requests.length, total, next]).toEqual([100, 500, page < 4 ? before - 100 : null])
      ids.push(...requests.map(idOf))
      before = next
    }
    expect(ids).toEqual(Array.from({ length: 500 }, (_, n) => 502 - n))
    expect((await ada.call('GET', `/deployments/${String(id)}/requests/2`)).status).toBe(404)
  })

  it('429 beyond 600 requests in a minute from one network', async () => {
    const { id, slug } = await create({ target: 'http://127.0.0.1:9999/' })
    // Refused by their length, so that nothing is stored.
    const headers = { ...onContent, 'content-length': '1000000' }
    const post = () => send(site.url, 'POST', `/h/${slug}`, { headers })
    for (let n = 0; n < 600; n += 100) await Promise.all(Array.from({ length: 100 }, post))
    const limited = await post()
    expect(limited.status).toBe(429)
    expect(limited.headers['retry-after']).toMatch(/^\d+$/)
    expect(limited.text).toMatch(/^Too many requests from your network\. Try again in \d+ seconds\./)
    expect(await usesOf(id)).toBe(0)
  })
})
