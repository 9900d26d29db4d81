import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSite, type Browser, type Site } from '../../../../test/site.js'

/** The frames of the console that show PDF files. */

let site: Site
let browser: Browser
beforeAll(async () => {
  site = await startSite('sqlite')
  await site.account('ada@example.com')
  browser = await site.browser('ada@example.com')
})
afterAll(() => site.stop())

async function preview(mediaType: string) {
  const content = Buffer.from('<script>alert(1)</script>').toString('base64')
  const body = { name: 'paper', content, media_type: mediaType }
  const { id } = (await browser.call('POST', '/files/upload', { body })).body['data']
  const { status, text, headers } = await browser.call('GET', `/files/preview?id=${String(id)}`)
  const header = (name: string) => headers.get(name)
  return { status, text, header }
}

it.each(['application/pdf', 'Application/PDF; version=1'])(
  'shows a file of the type %s as a PDF, which runs nothing and only the console frames',
  async (type) => {
    const { status, text, header } = await preview(type)
    expect([status, text]).toEqual([200, '<script>alert(1)</script>'])
    expect(header('content-type')).toBe('application/pdf')
    expect(header('content-disposition')).toMatch(/^inline/)
    expect(header('x-content-type-options')).toBe('nosniff')
    const policy = (header('content-security-policy') ?? '').split('; ')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'self'"]))
    expect(policy.join()).not.toMatch(/script/)
  },
)

it.each(['text/html', 'image/svg+xml', 'text/html; charset=utf-8'])(
  'sends a file of the type %s as an attachment in a sandbox',
  async (type) => {
    const { status, header } = await preview(type)
    expect(status).toBe(200)
    expect(header('content-type')).not.toMatch(/pdf$/)
    expect(header('content-disposition')).toMatch(/^attachment/)
    expect(header('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  },
)
