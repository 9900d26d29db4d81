import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { dataOf, sha256Of, startPackageSite, type PackageSite, type Publisher } from '../../../../test/package-site.js'

/** Downloads of artifacts from the content host, and their counts. */

describe.each(databaseKinds)('downloads of packages on %s', (kind) => {
  let site: PackageSite
  let ada: Publisher
  beforeAll(async () => {
    site = await startPackageSite(kind)
    ada = await site.publisher()
  })
  afterAll(() => site.stop())

  const small = { name: 'small.txt', content: 'hello' }
  const large = { name: 'large+1.tar.gz', content: Buffer.alloc(3_000_000, 'svc.') }
  let slug: string
  let urls: string[]
  beforeEach(async () => {
    slug = site.newSlug()
    const published = dataOf(await site.publish(ada, { slug, version: '1.2.3+build.5' }, small, large))['published']
    urls = published.artifacts.map(({ url }: { url: string }) => url)
  })
  const url = (index: number) => urls[index] ?? ''

  const counts = async () => {
    const { package: shown, versions } = dataOf(await site.get(ada, slug))
    return [
      ...[shown.downloads, versions[0].downloads],
      ...versions[0].artifacts.map(({ downloads }: Envelope) => downloads as number),
    ]
  }
  const expectCounts = (...expected: number[]) =>
    vi.waitFor(async () => expect(await counts()).toEqual(expected), { timeout: 20_000, interval: 100 })

  it('serves the bytes to be saved, and lets caches keep them', async () => {
    const answer = await site.follow(url(1))
    expect([answer.status, answer.body.equals(large.content)]).toEqual([200, true])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3000000',
      'content-disposition': 'attachment; filename=large+1.tar.gz',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256Of(large.content)}"`,
    })
  })

  it('counts whole downloads: not HEAD, not 304, and of ranges only one of all bytes', async () => {
    const { headers } = await site.follow(url(0))
    const answers = [
      await site.follow(url(0), { method: 'HEAD' }),
      await site.follow(url(0), { headers: { 'if-none-match': String(headers.etag) } }),
      await site.follow(url(0), { headers: { range: 'bytes=9-' } }),
      await site.follow(url(0), { headers: { range: 'bytes=1-' } }),
      await site.follow(url(0), { headers: { range: 'bytes=0-0,2-2' } }),
      await site.follow(url(0), { headers: { range: 'bytes=0-1' } }),
      await site.follow(url(0), { headers: { range: 'bytes=0-' } }),
      await site.follow(url(1)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 416, 206, 206, 206, 206, 200])
    expect(answers[3]?.body.toString()).toBe('ello')
    await expectCounts(3, 3, 2, 1)
  })

  it('does not count a client that leaves before the end', async () => {
    const { pathname, host } = new URL(url(1))
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(site.url).port), '127.0.0.1', () => {
        socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      })
      socket.once('data', () => socket.destroy())
      socket.once('close', () => resolve())
    })
    await site.follow(url(0))
    await expectCounts(1, 1, 1, 0)
  })

  it('counts exactly with many downloads at once, in two processes, and when one of them stops', async () => {
    const second = await site.another()
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        site.follow(url(index % 2), { at: index % 4 < 2 ? site.url : second.url }),
      ),
    )
    await second.stop()
    await expectCounts(200, 200, 100, 100)
    const list = dataOf(await site.call('GET', '/v1/packages', { token: ada.token }))
    expect(list['packages'].find((each: Envelope) => each['slug'] === slug).downloads).toBe(200)
  })

  it('redirects latest to the highest release that has the artifact, and counts only the download', async () => {
    for (const [version, name] of [
      ...[['1.10.0', 'small.txt'] as const, ['1.9.0', 'small.txt'] as const],
      ...[['2.0.0-rc.1', 'small.txt'] as const, ['3.0.0', 'other.txt'] as const],
    ])
      dataOf(await site.publish(ada, { slug, version }, { name, content: version }))
    const latest = `http://content.localhost/p/${slug}/latest`
    const answer = await site.follow(`${latest}/small.txt`)
    expect([answer.status, answer.headers.location]).toEqual([302, `/p/${slug}/1.10.0/small.txt`])
    expect(answer.headers['cache-control']).toBe('no-store')
    const large = await site.follow(`${latest}/large+1.tar.gz`, { method: 'HEAD' })
    expect([large.status, large.headers.location]).toEqual([302, `/p/${slug}/1.2.3+build.5/large+1.tar.gz`])
    expect((await site.follow(new URL(String(large.headers.location), latest).href)).status).toBe(200)
    const total = async () => dataOf(await site.get(ada, slug))['package'].downloads as number
    await vi.waitFor(async () => expect(await total()).toBe(1), { timeout: 20_000, interval: 100 })

    dataOf(await site.post(ada, 'delete', { slug }))
    expect((await site.follow(`${latest}/small.txt`)).status).toBe(404)
  })

  it('redirects latest without a name to the only artifact of the highest release', async () => {
    const own = `only-${slug}`
    const latest = `http://content.localhost/p/${own}/latest`
    dataOf(await site.publish(ada, { slug: own, version: '1.9.0' }, { name: 'a.txt', content: '1.9' }))
    dataOf(await site.publish(ada, { slug: own, version: '1.10.0' }, { name: 'b.txt', content: '1.10' }))
    dataOf(await site.publish(ada, { slug: own, version: '2.0.0-rc.1' }, { name: 'c.txt', content: 'rc' }))
    const answer = await site.follow(latest)
    expect([answer.status, answer.headers.location]).toEqual([302, `/p/${own}/1.10.0/b.txt`])
    const two = [
      { name: 'a.txt', content: 'a' },
      { name: 'b.txt', content: 'b' },
    ]
    dataOf(await site.publish(ada, { slug: own, version: '2.0.0' }, ...two))
    const several = await site.follow(latest)
    expect([several.status, String(several.body)]).toEqual([
      404,
      expect.stringContaining('Version 2.0.0 has several artifacts'),
    ])

    // The numbers of deleted versions stay taken.
    dataOf(await site.post(ada, 'delete', { slug: own }))
    expect(String((await site.follow(latest)).body)).toContain('There is nothing at this address.')
    dataOf(await site.publish(ada, { slug: own, version: '1.0.0' }, { name: 'd.txt', content: '1.0' }))
    expect((await site.follow(latest)).headers.location).toBe(`/p/${own}/1.0.0/d.txt`)
  })

  it.each([
    ['latest without a name of an unknown package', () => '/p/unknown/latest'],
    ['latest without a name of a NUL', () => '/p/%00/latest'],
    ['latest of an unknown package', () => '/p/unknown/latest/small.txt'],
    ['latest of an unknown artifact', () => `/p/${slug}/latest/other.txt`],
    ['latest of a NUL', () => `/p/${slug}/latest/%00`],
    ['an unknown package', () => '/p/unknown/1.0.0/small.txt'],
    ['an unknown version', () => `/p/${slug}/1.2.4/small.txt`],
    ['other build metadata', () => `/p/${slug}/1.2.3/small.txt`],
    ['an unknown artifact', () => `/p/${slug}/1.2.3+build.5/other.txt`],
    ['another case', () => `/p/${slug}/1.2.3+build.5/Small.txt`],
    ['a NUL', () => `/p/${slug}/1.2.3+build.5/%00`],
    ['a path in the name', () => `/p/${slug}/1.2.3+build.5/..%2F..%2Fsmall.txt`],
  ])('404 for %s', async (_, path) => {
    expect((await site.follow(`http://content.localhost${path()}`)).status).toBe(404)
  })

  it('the host of the API serves no artifact', async () => {
    const answer = await site.call('GET', new URL(url(0)).pathname)
    expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
  })

  it('502 if the object is lost, and no count', async () => {
    const [row] = await site.sql(
      `select blob_key from package_artifact where name = 'small.txt' order by id desc limit 1`,
    )
    await site.removeObject(String(row?.['blob_key']))
    expect((await site.follow(url(0))).status).toBe(502)
    await site.follow(url(1))
    await expectCounts(1, 1, 0, 1)
  })
})
