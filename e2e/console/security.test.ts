import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { deploySite } from '../../packages/server/test/site-host.js'
import { sharedChromium } from '../../test/servers/index.js'
import { startConsole, visit, type ConsoleSite } from './harness.js'

/**
 * Hostile pages in a browser that is signed in to the console: a file on the content host, a site of a user, a page of another port,
 * and text of users on the console's own pages.
 */

const ada = 'ada@example.com'
const evilText = `"><img src=/from-text onerror="document.title='ran'"><script>document.title='ran'</script>`

let site: ConsoleSite
/** Signed in at `localhost`, as a parent domain of the hostile hosts. */
let context: BrowserContext
let port: string
/** Addresses of pages that a stranger has written. */
let hostile: Record<'site' | 'file' | 'origin', string>

beforeAll(async () => {
  site = await startConsole({}, sharedChromium)
  port = new URL(site.url).port
  const account = await site.account(ada)
  const mallory = await site.token(await site.account('mallory@example.com'), '*')
  await deploySite(site.url, mallory, 'evil', { 'index.html': '<title>evil</title><p>page</p>' })
  const content = Buffer.from('<!doctype html><title>evil</title><p>page</p>').toString('base64')
  const file = { name: 'evil.html', media_type: 'text/html', content, shared: true }
  const uploaded = await site.call('POST', '/v1/files/upload', { token: mallory, body: file })
  hostile = {
    site: `http://evil.localhost:${port}/`,
    file: `http://content.localhost:${port}${new URL(uploaded.body['data'].share_url as string).pathname}`,
    // Another host name of this machine is another site to the browser.
    origin: `http://127.0.0.1:${port}/v1/public/timestamp`,
  }
  await site.token(account, '*')
  context = await site.chromium.newContext()
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/console`)
  await page.getByLabel('Email').fill(ada)
  await page.getByLabel(/^Password/).fill(passwordOf(ada))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Account menu' }).waitFor()
  await page.close()
})
afterAll(async () => {
  await context.close()
  await site.close()
})

/** Everything that a write could change. */
const state = async () =>
  JSON.stringify([
    await site.sql('select id, nickname, password_hash from account order by id'),
    await site.sql('select id from token order by id'),
    await site.sql('select id, account_id from session order by id'),
    await site.sql('select zone from dns_claim order by id'),
  ])

const writes = [
  ['/account/profile', { field: 'nickname', value: 'Changed' }],
  ['/keys', { name: 'stolen', scopes: ['*'] }],
  ['/dns/zones', { zone: 'stolen.example' }],
  ['/session/revoke-others', {}],
  ['/session/sign-out', {}],
] as const

/** What a script of the page gets: the status and the text, or the name of the error. */
const fetched = (page: Page, path: string, init: object) =>
  page.evaluate<unknown>(`(async () => {
    try {
      const answer = await fetch('http://localhost:${port}${path}', { credentials: 'include', ...${JSON.stringify(init)} })
      return [answer.type, answer.status, await answer.text()]
    } catch (error) {
      return error.name
    }
  })()`)

describe.each(['site', 'origin'] as const)('a page of another origin (%s)', (place) => {
  let page: Page
  beforeAll(async () => {
    page = await context.newPage()
    await page.goto(hostile[place])
  })

  it('its fetches change nothing and read nothing', async () => {
    const before = await state()
    for (const [path, body] of writes)
      for (const type of ['application/json', 'text/plain'])
        for (const mode of ['cors', 'no-cors']) {
          const init = { method: 'POST', mode, headers: { 'content-type': type }, body: JSON.stringify(body) }
          const isOpaque = mode === 'no-cors'
          expect(await fetched(page, `/console/api${path}`, init)).toEqual(isOpaque ? ['opaque', 0, ''] : 'TypeError')
        }
    expect(await fetched(page, '/console/api/session', {})).toBe('TypeError')
    expect(await fetched(page, '/console/', {})).toBe('TypeError')
    expect(await state()).toBe(before)
  })

  it('its form answers 403 and changes nothing', async () => {
    const before = await state()
    for (const [path] of writes) {
      const form = await context.newPage()
      await form.goto(hostile[place])
      const answered = form.waitForResponse((response) => response.url().includes('/console/api/'))
      await form.evaluate(`
        document.body.innerHTML = '<form method=post enctype=text/plain action="http://localhost:${port}/console/api${path}">' +
          '<input name=\\'{"zone":"stolen.example","x":"\\' value=\\'"}\\'></form>'
        document.querySelector('form').submit()`)
      expect((await answered).status()).toBe(403)
      await form.close()
    }
    expect(await state()).toBe(before)
  })

  it('cannot frame the console', async () => {
    await page.evaluate(`document.body.innerHTML = '<iframe src="http://localhost:${port}/console/"></iframe>'`)
    const frame = await (await page.waitForSelector('iframe')).contentFrame()
    await expect.poll(() => frame?.url()).toBe('chrome-error://chromewebdata/')
  })

  it('reads no cookie, and a window that it opens has no reference to it', async () => {
    expect(await page.evaluate('document.cookie')).toBe('')
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void (window.opened = open('http://localhost:${port}/console/'))`),
    ])
    await opened.waitForLoadState()
    await expect.poll(() => page.evaluate('window.opened.closed')).toBe(true)
    await opened.close()
  })
})

it('a shared HTML file is downloaded, never opened as a page', async () => {
  const page = await context.newPage()
  await expect(page.goto(hostile.file)).rejects.toThrow('Download is starting')
  expect(page.url()).toBe('about:blank')
})

it('scripts of the console cannot read the session cookie', async () => {
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/console/account`)
  await page.getByLabel('Display name').waitFor()
  expect(await page.evaluate('document.cookie')).toBe('')
})

it('shows text of users as text: no element, no script, no request', async () => {
  await site.account('eve@example.com')
  const eve = await site.browser('eve@example.com', { headers: { 'user-agent': evilText } })
  await eve.call('POST', '/account/profile', { body: { field: 'nickname', value: evilText.slice(0, 64) } })
  await eve.call('POST', '/keys', { body: { name: '<img src=/from-text onerror=alert(1)>', scopes: ['dns:read'] } })
  await eve.call('POST', '/dns/zones', { body: { zone: 'eve.example' } })
  const record = { type: 'TXT', host: 'evil', value: '<img src=/from-text onerror=alert(1)>' }
  const created = await eve.call('POST', '/dns/zones/eve.example/records', { body: record })
  expect(created.status, created.text).toBe(200)
  const name = '<img src=x onerror=alert(1)>.txt'.replaceAll(/[<>]/g, '\uff1c')
  await eve.call('POST', '/files/upload', { body: { name, content: 'aGVsbG8=' } })

  const page = await site.open('eve@example.com', 'account')
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
  await page.getByRole('row').filter({ hasNotText: 'This browser' }).getByText('Unknown browser').hover()
  await page.getByRole('tooltip').getByText(evilText).waitFor()
  for (const path of ['account/keys', 'dns', 'dns/eve.example', 'files', '', `dns/${encodeURIComponent(evilText)}`]) {
    await visit(page, `${site.url}/console/${path}`)
    expect(await page.title(), path).not.toBe('ran')
    expect(await page.locator('main img').count(), path).toBe(0)
  }
  expect(requested.filter((url) => /\/(?:from-text|x)$/.test(new URL(url).pathname))).toEqual([])
})

it('keeps the value of a new key out of storage, address, history and later pages', async () => {
  const page = await site.open(ada, 'account/keys?new')
  await page.getByLabel('Name').fill('kept-nowhere')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  const token = (await page.locator('[data-secret]').textContent()) ?? ''
  expect(token).toMatch(/^svc_/)
  const kept = () =>
    page.evaluate<string>(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, location.href, history.state,
      await indexedDB.databases(), await caches.keys().catch(() => []), performance.getEntries().map(({ name }) => name),
    ]))()`)
  expect(await kept()).not.toContain(token.slice(4))
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: /^kept-nowhere/ }).waitFor()
  expect(await kept()).not.toContain(token.slice(4))
  // The dialog fades out.
  await page.locator('[data-secret]').waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(token.slice(4))
})
