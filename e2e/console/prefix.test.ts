import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { sharedChromium } from '../../test/servers/index.js'

/** The console behind a reverse proxy that serves svc below a path and removes it from requests. */

const prefix = '/tools/svc'

let site: Site
let proxy: Server
let origin: string
let chromium: Browser
/** The paths that the browser has requested. */
const requested: string[] = []

beforeAll(async () => {
  site = await startSite('sqlite')
  await site.account('ada@example.com')
  const { hostname, port } = new URL(site.url)
  proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    requested.push(url)
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end()
    const upstream = request({ hostname, port, method, headers, path: url.slice(prefix.length) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(upstream)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`
  chromium = await sharedChromium()
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await site.stop()
})

it('signs in, opens a deep link and reloads it, with all requests below the path', { timeout: 120_000 }, async () => {
  await using context = await chromium.newContext()
  const page = await context.newPage()
  await page.goto(`${origin}${prefix}/`)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('ada@example.com'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Account menu' }).waitFor()
  expect(page.url()).toMatch(new RegExp(`^${origin}${prefix}/console`))

  await page.goto(`${origin}${prefix}/console/account/keys`)
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByLabel('Name').fill('ci')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.locator('[data-secret]').waitFor()
  expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(`${prefix}/reference`)
  expect(requested).toContain(`${prefix}/console/api/keys`)
  expect(requested.filter((path) => !path.startsWith(`${prefix}/`))).toEqual([])
})
