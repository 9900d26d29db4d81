import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { sharedChromium } from '../test/servers/index.js'
import { fileClient } from './file-client.js'

/** Files of the real server in a browser that is signed in: they run no script and do not have the cookie. */

const email = 'ada@example.com'

/** Shows in the title that it ran, and sends the cookie to any server. */
const script = `document.title = 'ran'; fetch('/from-script?' + encodeURIComponent(document.cookie))`
const hostile = {
  'a.html': {
    type: 'text/html',
    content: `<!doctype html><title>quiet</title><script>${script}</script><img src="x" onerror="${script}"><p>shown</p>`,
  },
  'a.svg': {
    type: 'image/svg+xml',
    content: `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><title>quiet</title><script>${script}</script></svg>`,
  },
  'a.xml': {
    type: 'application/xhtml+xml',
    content: `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title><script>${script}</script></head><body/></html>`,
  },
}

let place: Place & AsyncDisposable
let server: Serving & AsyncDisposable
let browser: Browser
let page: Page
/** The URLs that the pages of the test have requested. */
let requested: string[]
const kinds = ['share link', 'download of the console'] as const
const links: Record<(typeof kinds)[number], Record<string, string>> = {
  'share link': {},
  'download of the console': {},
}
let port: string

beforeAll(async () => {
  place = await emptyPlace()
  const password = (await svc(['user', 'add', email], place)).stdout.trim()
  const token = (await svc(['token', 'add', email, '--name', 'e2e', '--scope', 'files:write'], place)).stdout.trim()
  server = await svcServe(place)
  port = new URL(server.url).port
  const files = fileClient(server.url, token)
  for (const [name, { type, content }] of Object.entries(hostile)) {
    const body = { name, media_type: type, content: Buffer.from(content).toString('base64'), shared: true }
    const file = (await files.call('files/upload', body))?.data
    const { pathname } = new URL(file?.['share_url'] as string)
    // The link has the port of SVC_PUBLIC_URL, and the server of a test has another.
    links['share link'][name] = `http://content.localhost:${port}${pathname}`
    links['download of the console'][name] =
      `http://localhost:${port}/console/api/files/download?id=${file?.['id'] as number}`
  }
  browser = await sharedChromium()
  page = await (await browser.newContext()).newPage()
  // Chromium sends the cookie of the console at localhost to no other host, unless a script there could read it.
  await page.goto(`http://localhost:${port}/v1/public/timestamp`)
  const status = await page.evaluate(
    async ([email, password]) => {
      const answer = await fetch('/console/api/session/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
      return answer.status
    },
    [email, password],
  )
  expect(status).toBe(200)
  page.on('request', (request) => requested.push(request.url()))
})
afterAll(async () => {
  await Promise.all(browser.contexts().map((opened) => opened.close()))
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** The cookie that Chromium would send to a URL. */
const cookiesAt = async (url: string) => (await page.context().cookies(url)).map(({ name }) => name)

it('the browser has the cookies of the console, and not for the content host', async () => {
  requested = []
  expect(await cookiesAt(`http://localhost:${port}/`)).toEqual(['svc_session', 'svc_device'])
  expect(await cookiesAt(links['share link']['a.html'] as string)).toEqual([])
})

/** Opens a link in the page, or in a frame of the console. It may start a download instead of showing the file. */
const ways: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  opened: (url) => page.goto(url).catch((error: unknown) => expect(String(error)).toContain('Download is starting')),
  'in a frame of the console': async (url) => {
    await page.goto(`http://localhost:${port}/v1/public/timestamp`)
    await page.evaluate(`{
      const frame = document.createElement('iframe')
      frame.src = ${JSON.stringify(url)}
      document.body.append(frame)
    }`)
  },
}

/** Opens a link as a browser that ignores response headers would. Until `page.unrouteAll`. */
async function showWithout(link: string, ...ignored: readonly string[]): Promise<void> {
  const { host, pathname, search } = new URL(link)
  const isLink = ({ href }: URL) => href === link
  await page.route(isLink, async (route) => {
    const response = await route.fetch({
      url: `http://127.0.0.1:${port}${pathname}${search}`,
      headers: { ...(await route.request().allHeaders()), host },
    })
    const headers = Object.entries(response.headers()).filter(([name]) => !ignored.includes(name))
    await route.fulfill({ response, headers: Object.fromEntries(headers) })
  })
}

const all = kinds.flatMap((kind) => Object.keys(hostile).map((name) => [kind, name] as const))

describe.each(all)('the %s of %s', (kind, name) => {
  const linkOf = () => links[kind][name] as string
  const fromScript = () => requested.filter((url) => url.includes('from-script'))

  it.each(Object.keys(ways))('%s: it is saved, and no script runs', async (way) => {
    requested = []
    const download = page.waitForEvent('download', { timeout: 10_000 })
    await ways[way]?.(linkOf())
    expect((await download).suggestedFilename()).toBe(name)
    await page.waitForTimeout(300)
    expect(fromScript()).toEqual([])
  })

  it.each(Object.keys(ways))(
    '%s, in a browser that shows it nevertheless: no script runs or reads the cookie',
    async (way) => {
      const link = linkOf()
      await showWithout(link, 'content-disposition')
      requested = []
      await ways[way]?.(link)
      await expect.poll(() => page.frames().at(-1)?.url(), { timeout: 10_000 }).toBe(link)
      await page.waitForTimeout(300)
      const shown = page.frames().at(-1)
      expect(await shown?.evaluate('document.title || document.documentElement.textContent')).toContain('quiet')
      expect(fromScript()).toEqual([])
      // Even what the debugger runs there has no cookie and no access to the console.
      const evaluate = (expression: string) => shown?.evaluate(expression)
      expect(await evaluate('(() => { try { return document.cookie } catch (error) { return error.name } })()')).toBe(
        'SecurityError',
      )
      const session = `fetch('http://localhost:${port}/console/api/session', { credentials: 'include' })`
      expect(await evaluate(`${session}.then(() => 'read', () => 'refused')`)).toBe('refused')
      await page.unrouteAll()
    },
  )

  it('its script runs in a browser that also ignores the Content-Security-Policy, and has no cookie', async () => {
    const link = linkOf()
    await showWithout(link, 'content-disposition', 'content-security-policy')
    requested = []
    await page.goto(link)
    await expect.poll(fromScript, { timeout: 10_000 }).toContain(`${new URL(link).origin}/from-script?`)
    expect(fromScript().filter((url) => url.includes('svc_session'))).toEqual([])
    await page.unrouteAll()
  })
})
