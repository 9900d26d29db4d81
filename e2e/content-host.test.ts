import type { IncomingMessage } from 'node:http'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '../test/servers/index.js'
import { Document } from '../packages/server/src/http/answer.js'
import { shareRoute, startContentServer, type ContentServer } from '../packages/server/test/content-server.js'

/** Files on the content host in a browser: hostile ones run no script, and what people share is displayed. */

/** Sends what it can reach. */
const script = `
  document.title = 'ran'
  fetch('/from-script')
  new Image().src = '/stolen?' + encodeURIComponent(document.cookie)
`
const html = `<!doctype html><title>quiet</title><script>${script}</script><img src=/from-image onerror="${script}">
  <link rel=stylesheet href=/from-link><iframe src=/from-frame></iframe><meta http-equiv=refresh content="0;url=/from-refresh">
  <p style="color: rgb(1, 2, 3)">shown</p><form action="/from-form"><button id="send">Send</button></form>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="document.title = 'ran'">
  <title>quiet</title><script>${script}</script><image href="/from-image" width="9" height="9"/></svg>`
const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title>
  <script>${script}</script></head><body><img src="/from-image"/></body></html>`

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** One second of silence: PCM, mono, 8 kHz, 8 bits. */
function wav(): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + 8000, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(8000, 40)
  return Buffer.concat([head, Buffer.alloc(8000, 128)])
}

/** A page with a red square. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>endobj
4 0 obj<</Length 27>>stream
1 0 0 rg 20 20 160 160 re f
endstream endobj
trailer<</Root 1 0 R>>
`

const active = {
  html: { mediaType: 'text/html; charset=utf-8', content: html },
  svg: { mediaType: 'image/svg+xml', content: svg },
  xml: { mediaType: 'application/xml', content: xhtml },
  xhtml: { mediaType: 'application/xhtml+xml', content: xhtml },
}
const files = {
  ...active,
  text: { mediaType: 'text/plain', content: '<script>document.title = "ran"</script>' },
  image: { mediaType: 'image/png', content: Buffer.from(pixel, 'base64') },
  sound: { mediaType: 'audio/wav', content: wav() },
  pdf: { mediaType: 'application/pdf', content: pdf },
}

interface Seen {
  /** With the host. */
  readonly url: string
  readonly cookie: string | undefined
}

let server: ContentServer
let browser: Browser
/** The session cookies of two consoles: one on the parent domain, one on a sibling domain. */
let cookies: BrowserContextOptions
/** The requests that have arrived at the server. */
let seen: Seen[] = []
beforeAll(async () => {
  const headers = { 'set-cookie': 'svc_session=secret; Path=/; SameSite=Strict' }
  const signIn = { path: '/sign-in', answer: () => new Document('signed in', 'text/html', headers) }
  // The same file without the content host shows that the tests would notice what it does.
  const unprotected = { path: '/unprotected', answer: () => new Document(files.html.content, 'text/html') }
  server = await startContentServer({ content: [shareRoute(files)], routes: [signIn, unprotected] })
  server.http.server.on('request', ({ url = '', headers: { host = '', cookie } }: IncomingMessage) => {
    if (url !== '/favicon.ico') seen.push({ url: `http://${host}${url}`, cookie })
  })
  browser = await sharedChromium()
  const context = await browser.newContext()
  const page = await context.newPage()
  for (const host of ['localhost', 'console.localhost']) await page.goto(at(host, '/sign-in'))
  cookies = { storageState: await context.storageState() }
  await context.close()
})
afterAll(async () => {
  await Promise.all(browser.contexts().map((opened) => opened.close()))
  await server.stop()
})

const at = (host: string, path: string) => `http://${host}:${String(server.port)}${path}`
const share = (key: string) => at('content.localhost', `/s/${key}/file`)

/** Opens a page with the session cookies. */
async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext(cookies)).newPage()
  seen = []
  await page.goto(url)
  return page
}

async function visit(url: string): Promise<Page> {
  const page = await open(url)
  await settle(page)
  return page
}

/** Gives a page time for requests that it should not make. */
const settle = (page: Page) => page.waitForTimeout(500)

it('without the content host, the page runs its script and has the cookie', async () => {
  const page = await visit(at('console.localhost', '/unprotected'))
  const urls = seen.map(({ url }) => new URL(url).pathname)
  expect(urls).toEqual(
    expect.arrayContaining(['/from-script', '/from-link', '/from-frame', '/from-refresh', '/stolen']),
  )
  expect(seen.map(({ url }) => url).join()).toContain('svc_session%3Dsecret')
  await page.context().close()
})

describe.each(Object.keys(active))('a shared %s', (key) => {
  it('runs no script, requests nothing and has no cookie', async () => {
    const page = await visit(share(key))
    expect(seen).toEqual([{ url: share(key), cookie: undefined }])
    expect(await page.title()).toBe('quiet')
    await page.context().close()
  })

  it.each(['console.localhost', 'localhost'])(
    'runs no script, requests nothing and has no cookie in a frame of the console at %s',
    async (host) => {
      const page = await open(at(host, '/sign-in'))
      seen = []
      await page.setContent(`<iframe src="${share(key)}"></iframe>`)
      await settle(page)
      expect(seen).toEqual([{ url: share(key), cookie: undefined }])
      expect(await page.frames()[1]?.title()).toBe('quiet')
      await page.context().close()
    },
  )
})

it('a form in a shared page sends nothing', async () => {
  const page = await visit(share('html'))
  await page.click('#send')
  await settle(page)
  expect(seen.map(({ url }) => url)).toEqual([share('html')])
  await page.context().close()
})

describe('is displayed', () => {
  const evaluate = async (key: string, expression: string): Promise<unknown> => {
    const page = await visit(share(key))
    const value: unknown = await page.evaluate(expression)
    await page.context().close()
    return value
  }

  it('a shared HTML page is displayed with its styles', async () => {
    expect(await evaluate('html', "getComputedStyle(document.querySelector('p')).color")).toBe('rgb(1, 2, 3)')
  })

  it('a shared text is displayed as text', async () => {
    expect(await evaluate('text', 'document.body.innerText')).toContain('<script>')
  })

  it('a shared image is displayed', async () => {
    expect(await evaluate('image', "document.querySelector('img').naturalWidth")).toBe(1)
  })

  it('a shared sound or video is displayed: the player has its length', async () => {
    expect(await evaluate('sound', "document.querySelector('video, audio').duration")).toBe(1)
  })

  it('a shared PDF is displayed: its page is red', async () => {
    const page = await visit(share('pdf'))
    await expect
      .poll(async () => redPixels((await page.screenshot()).toString('base64')), { timeout: 20_000 })
      .toBeGreaterThan(10_000)
    await page.context().close()
  })
})

async function redPixels(png: string): Promise<number> {
  const page = await browser.newPage()
  const count = await page.evaluate<number>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    const { data } = canvas.getImageData(0, 0, image.width, image.height)
    let red = 0
    for (let at = 0; at < data.length; at += 4) if (data[at] > 240 && data[at + 1] < 20 && data[at + 2] < 20) red++
    return red
  })()`)
  await page.close()
  return count
}
