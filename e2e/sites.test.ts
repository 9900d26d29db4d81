import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploySite } from '../packages/server/test/site-host.js'
import { startSite, type Site } from '../packages/server/test/site.js'
import { sharedChromium } from '../test/servers/index.js'

/** A page of a site in a browser that has a session of the console: it runs its scripts, and cannot use the API. */

let site: Site
let browser: Browser
let context: BrowserContext
let port: string
beforeAll(async () => {
  site = await startSite('sqlite')
  port = new URL(site.url).port
  const account = await site.account('ada@example.org')
  const token = await site.token(account, 'sites:write')
  await deploySite(site.url, token, 'docs', {
    'index.html': '<title>docs</title><script src=/app.js></script><p>page</p>',
    'app.js': 'document.title = "ran"',
    '404.html': 'nothing',
  })
  browser = await sharedChromium()
  context = await browser.newContext()
  const { cookie } = await site.browser('ada@example.org')
  const [name = '', value = ''] = cookie.split('=')
  // On the parent domain of the site.
  await context.addCookies([{ name, value, url: `http://localhost:${port}/`, sameSite: 'Strict', httpOnly: true }])
})
afterAll(async () => {
  await Promise.all(browser.contexts().map((opened) => opened.close()))
  await site.stop()
})

const at = (host: string, path: string) => `http://${host}:${port}${path}`

/** What a script of the site gets: a status and a text, or the kind of the error. */
async function tried(request: string): Promise<unknown> {
  const page = await context.newPage()
  await page.goto(at('docs.localhost', '/'))
  expect(await page.title()).toBe('ran')
  const result: unknown = await page.evaluate(`(async () => {
    try {
      const response = await (${request})
      return [response.type, response.status, (await response.text()).slice(0, 7)]
    } catch (error) {
      return error.name
    }
  })()`)
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.close()
  return result
}

const session = '/console/api/account/sessions'

it('the session works at the host of the console', async () => {
  const page = await context.newPage()
  const answer = await page.goto(at('localhost', session))
  expect(answer?.status()).toBe(200)
  await page.close()
})

it('the own host of the site has no API', async () => {
  expect(await tried(`fetch('${session}', { credentials: 'include' })`)).toEqual(['basic', 404, 'nothing'])
  expect(await tried(`fetch('/v1')`)).toEqual(['basic', 404, 'nothing'])
})

it.each([
  ['reads nothing with credentials', `fetch('{api}', { credentials: 'include' })`, 'TypeError'],
  ['sends no session in an opaque request', `fetch('{api}', { credentials: 'include', mode: 'no-cors' })`, undefined],
  [
    'changes nothing',
    `fetch('{api}/revoke', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"id":1}' })`,
    undefined,
  ],
])('a script of the site %s', async (_, request, expected) => {
  site.log.length = 0
  const result = await tried(request.replace('{api}', at('localhost', session)))
  if (expected !== undefined) expect(result).toBe(expected)
  // The requests have arrived, and none was authenticated.
  await expect.poll(() => site.log.some((line) => line.includes('"operation":"account.session'))).toBe(true)
  expect(site.log.filter((line) => line.includes('"account_id"'))).toEqual([])
})
