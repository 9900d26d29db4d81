import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyPlace, type Place } from '../packages/cli/test/svc.js'
import { deploySite } from '../packages/server/test/site-host.js'
import { launchChromium, trustAuthority } from '../test/servers/index.js'
import { accountToken, accountWithPassword } from './account-token.js'
import { serveTls, type TlsServing } from './hostile/tls-server.js'

/** HTTPS by svc itself in a browser that trusts the authority of the certificate. */

const password = 'a password of ada'

let place: Place & AsyncDisposable
let server: TlsServing & AsyncDisposable
let browser: Browser
beforeAll(async () => {
  place = await emptyPlace()
  await accountWithPassword(place, 'ada@example.org', password)
  const token = await accountToken(place, 'grace@example.org', 'sites:write')
  server = await serveTls(place)
  await deploySite(server.url, token, 'docs', { 'index.html': '<title>docs</title><p>page</p>' })
  browser = await startBrowser('home', true)
})
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** The names lead to the port of TLS. */
async function startBrowser(name: string, isTrusting: boolean): Promise<Browser> {
  const home = join(place.cwd, name)
  const ca = join(place.cwd, `${name}.pem`)
  await writeFile(ca, server.ca)
  if (isTrusting) trustAuthority(home, ca)
  const flags = [`--host-resolver-rules=MAP *:443 127.0.0.1:${new URL(server.tlsUrl).port}`]
  return launchChromium({ home, flags })
}

let context: BrowserContext
let page: Page
let requested: string[]
let errors: string[]
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  requested = []
  errors = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('requestfailed', (request) => errors.push(`${request.url()}: ${String(request.failure()?.errorText)}`))
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
})
afterEach(() => context.close())

const isSecure = () => page.evaluate<boolean>('globalThis.isSecureContext')
const insecure = () => requested.filter((url) => !/^(?:https|data|blob):/.test(url))

describe('a browser that trusts the authority', () => {
  it('opens a site without a warning, over TLS 1.3', async () => {
    const answer = await page.goto('https://docs.localhost/')
    expect(answer?.status()).toBe(200)
    expect(await page.title()).toBe('docs')
    expect(await isSecure()).toBe(true)
    expect(await answer?.securityDetails()).toMatchObject({ issuer: 'Test Authority', protocol: 'TLS 1.3' })
    expect(insecure()).toEqual([])
  })

  it('shows the console without mixed content and errors, from the sign-in to its pages', async () => {
    await page.goto('https://localhost/console/')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    // Signed out, the console asks for its session.
    errors = []
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    for (const name of ['Files', 'Sites']) {
      await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name }).click()
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
    }
    expect(errors).toEqual([])
    expect(insecure()).toEqual([])
  })
})

it('a browser that does not trust the authority refuses the site', async () => {
  const other = await startBrowser('other', false)
  const opened = await other.newPage()
  await expect(opened.goto('https://docs.localhost/')).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
  await other.close()
})
