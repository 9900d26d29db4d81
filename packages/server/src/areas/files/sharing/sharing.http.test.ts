import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'

/** Share links and the settings of the edge through the real server (specification, section 4.5). */

describe.each(databaseKinds)('share links on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let token: string
  let count = 0
  beforeEach(async () => {
    token = await newToken()
  })

  const newToken = async () =>
    site.token(await site.account(`ada${String(++count)}@example.com`), 'files:write', 'cdn:write')
  const post = (path: string, body: unknown) => site.call('POST', `/v1${path}`, { token, body })
  const dataOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Envelope
  }
  const share = async (content = 'hello', rest: Envelope = {}) =>
    dataOf(
      await post('/files/upload', {
        name: 'notes.txt',
        content: Buffer.from(content).toString('base64'),
        shared: true,
        ...rest,
      }),
    )
  const stats = async (query = '') => dataOf(await site.call('GET', `/v1/cdn/stats${query}`, { token }))

  interface LinkAnswer {
    readonly status: number
    readonly headers: Envelope
    readonly text: string
  }

  /** Opens a share link at a server. The host of the link does not resolve here. */
  const follow = (link: string, { url = site.url, method = 'GET', headers = {} } = {}) =>
    new Promise<LinkAnswer>((resolve, reject) => {
      const { pathname, hostname } = new URL(link)
      const sent = request(url + pathname, { method, headers: { host: hostname, ...headers } }, (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body }),
          reject,
        )
      })
      sent.once('error', reject).end()
    })
  const statusOf = async (link: string, url = site.url) => (await follow(link, { url })).status

  it('a link serves the bytes, also with another name', async () => {
    const file = await share()
    const answer = await follow(file['share_url'])
    expect([answer.status, answer.text]).toEqual([200, 'hello'])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'content-disposition': 'inline; filename=notes.txt',
      etag: expect.stringMatching(new RegExp(`^"${file['sha256']}-[\\w-]{11}"$`)),
      'x-content-type-options': 'nosniff',
    })
    expect((await follow(file['share_url'].replace('notes', 'other'))).text).toBe('hello')
    const head = await follow(file['share_url'], { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '5'])
    const part = await follow(file['share_url'], { headers: { range: 'bytes=1-2' } })
    expect([part.status, part.text]).toEqual([206, 'el'])
  })

  it('an answer from memory has the headers of the first one, also after a change and with an encoded name', async () => {
    const { id, share_url } = await share('x'.repeat(9000))
    const headersOf = async (link: string) => {
      const { status, headers, text: body } = await follow(link)
      expect([status, body.length]).toEqual([200, 9000])
      // Without Last-Modified, which is not sent in the second of a change.
      return { ...headers, 'x-request-id': 'any', date: 'any', 'last-modified': 'any' }
    }
    for (const change of [{}, { name: 'b c.txt' }, { media_type: 'text/html' }, { name: 'c.txt' }]) {
      if (Object.keys(change).length > 0) dataOf(await post('/files/update', { id, ...change }))
      const first = await headersOf(share_url)
      for (const link of [share_url, share_url, `${share_url}?x`, share_url.replace('notes', 'b%20c')])
        expect(await headersOf(link)).toEqual(first)
      expect(await statusOf(share_url.replace('notes', '%C3'))).toBe(400)
    }
  })

  it('a link of a name with 255 bytes works', async () => {
    const name = `${'ü'.repeat(125)}.html`
    const file = await share('<script>', { name })
    const answer = await follow(file['share_url'])
    expect([answer.status, answer.text]).toEqual([200, '<script>'])
    expect(answer.headers['content-disposition']).toMatch(/^attachment;/)
  })

  it('a link keeps working after a rename, and serves the new name', async () => {
    const { id, share_url } = await share()
    const renamed = dataOf(await post('/files/rename', { id, name: 'b.txt' }))
    expect(renamed['share_url']).toBe(share_url.replace('notes.txt', 'b.txt'))
    for (const link of [share_url, renamed['share_url']])
      expect((await follow(link)).headers['content-disposition']).toBe('inline; filename=b.txt')
  })

  it('a browser that has a copy gets 304, and the new name and type after a change of them', async () => {
    const { id, share_url } = await share()
    let etag = (await follow(share_url)).headers['etag']
    const revalidated = () => follow(share_url, { headers: { 'if-none-match': etag } })
    expect((await revalidated()).status).toBe(304)
    for (const change of [{ name: 'b.txt' }, { media_type: 'text/markdown' }]) {
      await post('/files/update', { id, ...change })
      const answer = await revalidated()
      expect(answer.status).toBe(200)
      etag = answer.headers['etag']
      expect((await revalidated()).status).toBe(304)
    }
  })

  it.each(['%00', 'x', 'a'.repeat(23), '%27%22%5C', '%F0%9F%98%80'])('404 for the key %s', async (key) => {
    const { share_url } = await share()
    expect(await statusOf(`${new URL(share_url).origin}/s/${key}/notes.txt`)).toBe(404)
  })

  it('404 from the next request on, in each process, for a file that is unshared, deleted or not served', async () => {
    const other = await site.another()
    const ends: [string, Envelope][] = [
      ['/files/update', { shared: false }],
      ['/files/delete', {}],
      ['/cdn/config', { serving: false }],
    ]
    for (const [path, body] of ends) {
      const { id, share_url } = await share()
      expect([await statusOf(share_url), await statusOf(share_url, other.url)]).toEqual([200, 200])
      dataOf(await post(path, { id, ...body }))
      expect([await statusOf(share_url), await statusOf(share_url, other.url)]).toEqual([404, 404])
    }
    await other.stop()
  })

  it('a file that is shared again gets another link, and the old one stays invalid', async () => {
    const { id, share_url } = await share()
    dataOf(await post('/files/update', { id, shared: false }))
    const again = dataOf(await post('/files/update', { id, shared: true }))
    expect(again['share_url']).not.toBe(share_url)
    expect([await statusOf(share_url), await statusOf(again['share_url'])]).toEqual([404, 200])
    expect(dataOf(await post('/files/update', { id, shared: true }))).toEqual(again)
  })

  it('a link is not served by the host of the API, and no API by that of the link', async () => {
    const { share_url } = await share()
    expect((await site.call('GET', new URL(share_url).pathname)).status).toBe(404)
    expect(await statusOf(new URL('/v1', share_url).href)).toBe(404)
  })

  it('another media type is served from the next request on', async () => {
    const { id, share_url } = await share()
    expect((await follow(share_url)).headers['content-type']).toBe('text/plain; charset=utf-8')
    dataOf(await post('/files/update', { id, media_type: 'image/png' }))
    expect((await follow(share_url)).headers['content-type']).toBe('image/png')
  })

  it('502 if the bytes are missing, with a line in the log', async () => {
    const { id, share_url } = await share(`only here ${kind}`.repeat(1000))
    const [row] = await site.sql(`select blob_key from file_part where file_id = ${String(id)}`)
    await site.removeObject(String(row!['blob_key']))
    expect(await statusOf(share_url)).toBe(502)
    expect(site.log.join('\n')).toContain('the blob store failed')
    // The counts are saved each second. The one of HEAD, which needs no bytes, shows that those of the failure would be there.
    expect((await follow(share_url, { method: 'HEAD' })).status).toBe(200)
    await expect
      .poll(async () => (await stats())['files'][0], { timeout: 5000 })
      .toMatchObject({ requests: 1, hits: 0, misses: 0, bytes_served: 0 })
  })

  it(
    'a deletion answers 200 while another process shares, unshares and configures the file',
    { timeout: 60_000 },
    async () => {
      const other = await site.another()
      const change = (path: string, body: Envelope) => other.call('POST', `/v1${path}`, { token, body })
      for (let round = 0; round < 3; round++) {
        const { id } = await share()
        const changes = [
          ...[true, false, true, false, true].map((shared) => change('/files/update', { id, shared })),
          ...[change('/cdn/config', { id, edge_ttl: 5 }), change('/cdn/purge', { id })],
        ]
        const deletion = await post('/files/delete', { id })
        expect(deletion.status, deletion.text).toBe(200)
        await Promise.all(changes)
        expect((await site.call('GET', `/v1/files/${String(id)}`, { token })).status).toBe(404)
      }
      expect((await stats())['total']).toBe(0)
      await other.stop()
    },
  )

  describe('cdn', () => {
    const counts = { requests: 0, hits: 0, misses: 0, bytes_served: 0 }

    it('stats has the shared files with their settings, newest first', async () => {
      const [first, second] = [await share(), await share('x', { name: 'b' })]
      await share('y', { shared: false })
      const entry = ({ id, name, share_url }: Envelope) => ({
        id,
        name,
        share_url,
        edge_ttl: 3600,
        serving: true,
        ...counts,
      })
      expect(await stats()).toEqual({ files: [entry(second), entry(first)], next: null, total: 2 })
      expect(await stats('?limit=1')).toEqual({ files: [entry(second)], next: second['id'], total: 2 })
      expect(await stats(`?before=${String(second['id'])}`)).toEqual({ files: [entry(first)], next: null, total: 2 })
    })

    it('stats counts requests within seconds: misses, hits and the bytes sent', async () => {
      const { share_url } = await share('0123456789')
      for (let i = 0; i < 3; i++) await follow(share_url)
      await follow(share_url, { headers: { range: 'bytes=0-3' } })
      await expect
        .poll(async () => (await stats())['files'][0], { timeout: 5000 })
        .toMatchObject({ requests: 4, hits: 3, misses: 1, bytes_served: 34 })
    })

    it('the name in a link does not matter: the second request is a hit under another name', async () => {
      const { share_url } = await share()
      await follow(share_url)
      const other = share_url.replace('notes.txt', 'other.html')
      expect((await follow(other)).headers['content-disposition']).toBe('inline; filename=notes.txt')
      await expect
        .poll(async () => (await stats())['files'][0], { timeout: 5000 })
        .toMatchObject({ requests: 2, hits: 1, misses: 1 })
    })

    it('config changes the supplied settings', async () => {
      const { id, name, share_url } = await share()
      const configured = { id, name, share_url, edge_ttl: 60, serving: true, ...counts }
      expect(dataOf(await post('/cdn/config', { id, edge_ttl: 60 }))).toEqual(configured)
      expect(dataOf(await post('/cdn/config', { id, serving: false }))).toEqual({ ...configured, serving: false })
      expect(dataOf(await post('/cdn/config', { id }))).toEqual({ ...configured, serving: false })
      expect((await stats())['files']).toEqual([{ ...configured, serving: false }])
      expect(await statusOf(share_url)).toBe(404)
      dataOf(await post('/cdn/config', { id, serving: true }))
      expect(await statusOf(share_url)).toBe(200)
    })

    it('purge answers, and the next request is a miss', async () => {
      const { id, share_url } = await share()
      await follow(share_url)
      expect(dataOf(await post('/cdn/purge', { id }))).toEqual({ id, purged: true })
      await follow(share_url)
      await expect
        .poll(async () => (await stats())['files'][0], { timeout: 5000 })
        .toMatchObject({ requests: 2, hits: 0, misses: 2 })
    })

    it('400 for a file that is not shared, 403 for one of another account, 404 for an unknown id', async () => {
      const plain = await share('x', { shared: false })
      const shared = await share()
      for (const path of ['/cdn/config', '/cdn/purge']) {
        const answer = await post(path, { id: plain['id'] })
        expectError(answer, 'bad_request')
        expect(answer.body['message']).toMatch(/^id names a file that is not shared/)
        expectError(await post(path, { id: 987_654_321 }), 'not_found')
      }
      token = await newToken()
      for (const path of ['/cdn/config', '/cdn/purge']) expectError(await post(path, { id: shared['id'] }), 'forbidden')
      expect(await stats()).toEqual({ files: [], next: null, total: 0 })
    })

    it.each([
      [{ edge_ttl: -1 }, /^edge_ttl must be at least 0/],
      [{ edge_ttl: 31_536_001 }, /^edge_ttl must be at most 31536000/],
      [{ serving: 'no' }, /^serving must be true or false/],
    ])('400 for the config %j, and nothing changes', async (body, message) => {
      const { id } = await share()
      const before = await stats()
      const answer = await post('/cdn/config', { id, ...body })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(message)
      expect(await stats()).toEqual(before)
    })
  })
})
