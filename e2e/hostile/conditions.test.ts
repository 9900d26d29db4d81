import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../packages/server/test/app.js'
import { deploySite, getPage } from '../../packages/server/test/site-host.js'
import { startSite, type Site } from '../../packages/server/test/site.js'

/** A condition of a request is never ignored (RFC 9110, section 13.2.1): no download joins two versions, no write is unchecked. */
describe.each(databaseKinds)('conditions on %s', (kind) => {
  let site: Site
  let token: string
  beforeAll(async () => {
    site = await startSite(kind)
    token = await site.token(await site.account('ada@example.org'), '*')
  })
  afterAll(() => site.stop())

  const host = 'joined.localhost'
  const get = (headers?: Record<string, string>, path = '/data.txt') => getPage(site.url, host, path, headers)
  // Small files are served from memory, large ones from the disk.
  const deploy = (letter: string) =>
    deploySite(site.url, token, 'joined', {
      'data.txt': letter.repeat(200),
      'large.bin': randomBytes(3_000_000),
      '404.html': letter,
    })

  it.each(['/data.txt', '/large.bin'])(
    'a download of a redeployed site does not join two versions: %s',
    async (path) => {
      await deploy('a')
      const first = await get({ range: 'bytes=0-99' }, path)
      expect(first.status).toBe(206)
      const { etag = '', date = '' } = first.headers as Record<string, string>
      await deploy('b')
      for (const headers of [{ 'if-match': etag }, { 'if-unmodified-since': date }])
        for (const range of [{ range: 'bytes=100-' }, {}])
          expect([(await get({ ...headers, ...range }, path)).status, headers]).toEqual([412, headers])
      const current = await get({ 'if-match': '*', range: 'bytes=100-109' }, path)
      expect([current.status, current.headers['content-length']]).toEqual([206, '10'])
      // It does not exist, with or without the condition.
      expect((await get({ 'if-match': etag }, '/none')).status).toBe(404)
    },
  )

  it('content that changes twice in a second is never answered with 304 for the date of the first', async () => {
    for (let round = 0; round < 3; round++) {
      await deploy('c')
      const { headers, text } = await get()
      expect(text).toBe('c'.repeat(200))
      await deploy(String(round))
      for (const since of [headers['last-modified'], headers.date])
        expect((await get({ 'if-modified-since': since ?? '' })).text).toBe(String(round).repeat(200))
    }
  })

  it.each(['if-match', 'if-unmodified-since'])(
    'a write with %s is refused instead of made without the check',
    async (name) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', [name]: '"x"' }
      const body = JSON.stringify({ zone: 'condition.example' })
      const answer = await fetch(`${site.url}/v1/dns/zones`, { method: 'POST', headers, body })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toMatch(
        /If-\S+ is not supported here, because the answer has no ETag: leave it out\./,
      )
      const zones = await fetch(`${site.url}/v1/dns/zones`, { headers: { authorization: `Bearer ${token}` } })
      expect(await zones.text()).not.toContain('condition.example')
      expect((await fetch(`${site.url}/v1/openapi.json`, { headers: { [name]: '"x"' } })).status).toBe(
        name === 'if-match' ? 400 : 200,
      )
    },
  )
})
