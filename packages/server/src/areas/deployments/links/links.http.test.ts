import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { onContent, startDeployments, type Deployments } from '../../../../test/deployments.js'

/** Short links at their addresses, in two processes on one database. */

const target = 'https://example.com/launch'

describe.each(databaseKinds)('short links on %s', (kind) => {
  let site: Deployments
  let other: TestApp
  beforeAll(async () => {
    site = await startDeployments(kind)
    other = await site.another()
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  const link = (fields: object = {}, shortlink: object = {}) =>
    site.create({ kind: 'shortlink', target, ...fields, shortlink })
  const visit = (slug: string, app: TestApp = site, headers: Record<string, string> = {}, method = 'GET') =>
    onContent(app, method, `/l/${slug}`, { headers })
  const statusOf = async (slug: string, app: TestApp = site) => (await visit(slug, app)).status
  const uses = (id: number, count: number) =>
    vi.waitFor(async () => expect(await site.usesOf(id)).toBe(count), { timeout: 10_000, interval: 100 })

  it('short links redirect, from the database and from memory', async () => {
    const { slug } = await link({}, { status: 302 })
    for (let visits = 0; visits < 3; visits++) {
      const answer = await visit(slug)
      expect([answer.status, answer.text]).toEqual([302, ''])
      expect(answer.headers).toMatchObject({
        location: target,
        'cache-control': 'no-store',
        'content-length': '0',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^req_/) as unknown,
      })
    }
  })

  it('a short link answers 301 and forwards the query of the request, by choice', async () => {
    const { slug } = await link({ target: `${target}?a=1` }, { status: 301, forward_query: true })
    for (let visits = 0; visits < 2; visits++) {
      const answer = await visit(`${slug}?b=2&a=3`)
      expect([answer.status, answer.headers.location]).toEqual([301, `${target}?a=1&b=2`])
      expect((await visit(`${slug}?`)).headers.location).toBe(`${target}?a=1`)
      expect((await visit(`${slug}?b=${'x'.repeat(4_094)}`)).headers.location).toHaveLength(target.length + 4_101)
      expect((await visit(`${slug}?b=${'x'.repeat(4_095)}`)).status).toBe(414)
    }
  })

  it.each(['nothing', 'NOTHING', 'a%00b', 'a%20b', '%E2%98%83', 'a'.repeat(200), ''])(
    '404 for the slug "%s"',
    async (slug) => {
      expect(await statusOf(slug)).toBe(404)
    },
  )

  it('short links answer 405 to other methods, and do not exist on the host of the API', async () => {
    const { slug } = await link()
    const answer = await visit(slug, site, {}, 'POST')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(await statusOf(slug)).toBe(302)
    expect((await onContent(site, 'GET', `/l/${slug}`, { headers: { host: 'localhost' } })).status).toBe(404)
  })

  it('HEAD and crawlers are redirected and not counted', async () => {
    const { id, slug } = await link()
    const crawler = { 'user-agent': 'Twitterbot/1.0' }
    for (let visits = 0; visits < 2; visits++) {
      expect((await visit(slug, site, {}, 'HEAD')).status).toBe(302)
      expect((await visit(slug, site, crawler)).status).toBe(302)
    }
    expect(await statusOf(slug)).toBe(302)
    await uses(id, 1)
  })

  it('2,000 parallel visits in two processes are counted exactly', async () => {
    const links = [await link(), await link()]
    const visits = Array.from({ length: 2_000 }, (_, i) => statusOf(links[i % 2]!.slug, i % 4 < 2 ? site : other))
    expect(new Set(await Promise.all(visits))).toEqual(new Set([302]))
    for (const { id } of links) await uses(id, 1_000)
  })

  it('a maximum of uses is exact in two processes, and crawlers do not use it up', async () => {
    const { id, slug } = await link({}, { max_uses: 25 })
    const crawler = { 'user-agent': 'Twitterbot/1.0' }
    expect((await visit(slug, site, crawler)).status).toBe(302)
    const visits = Array.from({ length: 100 }, (_, i) => statusOf(slug, i % 2 ? site : other))
    const statuses = await Promise.all(visits)
    expect(statuses.filter((status) => status === 302)).toHaveLength(25)
    expect(statuses.filter((status) => status === 404)).toHaveLength(75)
    expect((await visit(slug, other, crawler)).status).toBe(404)
    expect((await visit(slug, other, {}, 'HEAD')).status).toBe(404)
    expect(await site.usesOf(id)).toBe(25)
  })

  it('a maximum that is set later includes the uses before', async () => {
    const { id, slug } = await link()
    for (let visits = 0; visits < 3; visits++) expect(await statusOf(slug)).toBe(302)
    const body = { id, shortlink: { max_uses: 4 } }
    expect((await site.ada.call('POST', '/deployments/update', { body })).body['data'].uses).toBe(3)
    expect([await statusOf(slug), await statusOf(slug)]).toEqual([302, 404])
  })

  it('a link expires', async () => {
    const expiresAt = Date.now() + 1_500
    const { slug } = await link({}, { expires_at: new Date(expiresAt).toISOString() })
    const limited = await link({}, { expires_at: '2020-01-01T00:00:00Z', max_uses: 5 })
    const first = await statusOf(slug)
    // On a busy machine it may have expired before the first visit.
    if (Date.now() < expiresAt) expect(first).toBe(302)
    await vi.waitFor(async () => expect(await statusOf(slug)).toBe(404), { timeout: 10_000 })
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(await statusOf(limited.slug)).toBe(404)
  })

  it('a change takes effect at once here, and soon in another process', async () => {
    const { id, slug } = await link()
    const change = (path: string, body: object) => site.ada.call('POST', `/deployments/${path}`, { body })
    const there = (expected: (status: number, location: string | undefined) => boolean) =>
      vi.waitFor(
        async () => {
          const { status, headers } = await visit(slug, other)
          expect(expected(status, headers.location)).toBe(true)
        },
        { timeout: 10_000 },
      )
    expect([await statusOf(slug), await statusOf(slug, other)]).toEqual([302, 302])
    await change('toggle', { id })
    expect(await statusOf(slug)).toBe(404)
    await there((status) => status === 404)
    await change('toggle', { id })
    expect(await statusOf(slug)).toBe(302)
    await there((status) => status === 302)
    await change('update', { id, target: 'https://other.example/' })
    expect((await visit(slug)).headers.location).toBe('https://other.example/')
    await there((_, location) => location === 'https://other.example/')
    await change('delete', { id })
    expect(await statusOf(slug)).toBe(404)
    await there((status) => status === 404)
  })

  it('the uses of a deleted link are dropped, those of others are kept', async () => {
    const [doomed, kept] = [await link(), await link()]
    await Promise.all([statusOf(doomed.slug), statusOf(kept.slug)])
    await site.ada.call('POST', '/deployments/delete', { body: { id: doomed.id } })
    await uses(kept.id, 1)
  })

  it('uses that are counted in memory are saved when the server stops', async () => {
    const third = await site.another()
    const { id, slug } = await link()
    expect([await statusOf(slug, third), await statusOf(slug, third)]).toEqual([302, 302])
    await third.stop()
    expect(await site.usesOf(id)).toBe(2)
  })
})
