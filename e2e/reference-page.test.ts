import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '../test/servers/index.js'
import { areaOf, areaNames, areas, operations, referenceAnchor, referencePageAnchor } from '@svc/contract'
import { closedServer, startApp, type Envelope, type TestApp } from '../packages/server/test/app.js'
import { startRdap, type RdapServer } from '../packages/server/test/registry-servers.js'

/** The reference page in a browser. Requests to other servers are blocked and must not occur. */

let app: TestApp
/** Knows no domain. */
let rdap: RdapServer
let browser: Browser
beforeAll(async () => {
  rdap = await startRdap()
  // Certificates can be asked for; no CA answers.
  const directoryUrl = `https://${closedServer}/dir`
  app = await startApp('sqlite', {
    // The addresses of examples (RFC 5737).
    outboundAllow: ['192.0.2.0/24'],
    registries: { rdapUrl: rdap.url, whois: closedServer },
    acme: { directoryUrl, email: undefined, profile: undefined, externalAccount: undefined },
  })
  browser = await sharedChromium()
})
afterAll(async () => {
  await Promise.all(browser.contexts().map((opened) => opened.close()))
  await app.stop()
  await rdap.stop()
})

interface Visit {
  readonly page: Page
  /** Requests to other servers. */
  readonly foreignRequests: string[]
  /** Failed requests, console errors and script errors. */
  readonly errors: string[]
}

/** Milliseconds. The page of requests takes seconds of CPU time, which other tests need too. */
const patience = 120_000

async function visit(path: string, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  const foreignRequests: string[] = []
  const errors: string[] = []
  await context.route('**/*', async (route) => {
    const url = route.request().url()
    if (url.startsWith(`${app.url}/`) || url.startsWith('data:') || url.startsWith('blob:')) await route.continue()
    else {
      foreignRequests.push(url)
      await route.abort()
    }
  })
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(`script: ${error.message}`))
  page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`))
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()}: ${response.url()}`)
  })
  await page.goto(app.url + path)
  await page.getByRole('heading', { name: /^svc (Platform API|API reference)/ }).waitFor()
  await page.waitForLoadState('networkidle')
  return { page, foreignRequests, errors }
}

/** Each picture takes half a second of CPU time. Nothing compares them: they are for a person. */
const isPictured = process.env['SVC_SCREENSHOTS'] === '1'

async function shoot(page: Page, name: string): Promise<void> {
  if (!isPictured) return
  const path = fileURLToPath(new URL(`console/screenshots/reference-${name}.png`, import.meta.url))
  await page.screenshot({ path })
}

const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  colorScheme: 'dark',
} as const
const desktop = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe-core that the page breaks, with what they found. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 100)).join(' | ')))`,
  )
}

describe.each([
  ['phone', phone],
  ['desktop', desktop],
])('the reference on a %s', { timeout: patience }, (device, options) => {
  it('has every operation and its anchor, breaks no rule of axe, and runs no script', async () => {
    const { page, foreignRequests, errors } = await visit('/reference', { ...options, reducedMotion: 'reduce' })
    await shoot(page, `${device}-top`)
    const ids = await page.evaluate<string[]>("Array.from(document.querySelectorAll('[id]'), ({ id }) => id)")
    expect(ids).toEqual(expect.arrayContaining(operations.map(referencePageAnchor)))
    const links = await page.evaluate<string[]>(
      "Array.from(document.querySelectorAll('nav a'), (a) => decodeURI(a.hash))",
    )
    expect(links).toEqual(operations.map((op) => `#${referencePageAnchor(op)}`))
    expect(await page.evaluate('document.scripts.length')).toBe(0)
    expect(await findings(page)).toEqual([])
    const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
    )
    expect(scrollWidth, 'no horizontal scrolling').toBeLessThanOrEqual(clientWidth)
    expect([foreignRequests, errors]).toEqual([[], []])
  })
})

it('a link to an operation shows it, and the header leads to the console', { timeout: patience }, async () => {
  const op = areas.dns.recordCreate
  const { page } = await visit(`/reference#${referencePageAnchor(op)}`, desktop)
  await expect
    .poll(() => page.getByRole('heading', { name: `${op.method} ${op.path}`, exact: true }).boundingBox())
    .toMatchObject({ y: expect.closeTo(20, -2) })
  const link = page.getByRole('link', { name: 'Console', exact: true })
  expect(new URL((await link.getAttribute('href')) ?? '', page.url()).href).toBe(`${app.url}/console`)
})

it('the page of requests sends one to its own server, and makes no others', { timeout: 2 * patience }, async () => {
  const path = `/reference/try#${referencePageAnchor(areas.public.timestamp)}`
  const { page, foreignRequests, errors } = await visit(path, desktop)
  await page.getByRole('button', { name: /Test Request.*timestamp/i }).click()
  const answered = page.waitForResponse((response) => response.url() === `${app.url}/v1/public/timestamp`)
  await page
    .getByRole('button', { name: /^Send(?! one part)/ })
    .first()
    .click()
  expect((await answered).status()).toBe(200)
  await page.getByText('unix_ms').last().waitFor()
  await shoot(page, 'tried-out')
  const link = page.getByRole('link', { name: 'Console', exact: true })
  expect(new URL((await link.getAttribute('href')) ?? '', page.url()).href).toBe(`${app.url}/console`)
  expect([foreignRequests, errors]).toEqual([[], []])
})

/** The anchors that GitHub derives from headings, without those in code blocks. */
const anchorsOf = (markdown: string) =>
  Array.from(markdown.replaceAll(/^```\w*\n[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

interface Target {
  readonly status: number
  readonly text: string
  readonly anchors: readonly string[]
}

/** Opens a document without its scripts. Links have anchors only into Markdown; those of the page itself are tested above. */
async function open(url: string): Promise<Target> {
  const response = await fetch(url)
  const text = await response.text()
  const isMarkdown = response.headers.get('content-type')?.startsWith('text/markdown') === true
  return { status: response.status, text, anchors: isMarkdown ? anchorsOf(text) : [] }
}

/** The documents by URL, each opened once. */
const opened = new Map<string, Promise<Target>>()

/** Follows every link of a document. @returns all links, and the dead links */
async function follow(path: string): Promise<{ dead: string[]; links: string[] }> {
  // The links have the public address that the operator has set. These tests listen on a free port.
  const here = (link: string) => new URL(new URL(link).pathname + new URL(link).search, app.url).href
  const openOnce = (url: string): Promise<Target> => {
    const target = opened.get(url) ?? open(url)
    opened.set(url, target)
    return target
  }
  const { text } = await openOnce(app.url + path)
  // A pattern in code can look like a link.
  const links = Array.from(text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link)
  const dead: string[] = []
  for (const link of links) {
    const { status, anchors } = await openOnce(here(link))
    const anchor = new URL(link).hash.slice(1)
    if (status !== 200 || (anchor !== '' && !anchors.includes(anchor))) dead.push(link)
  }
  return { dead, links }
}

it('every link of /llms.txt answers 200, and its anchor exists in the document', async () => {
  const { dead, links } = await follow('/llms.txt')
  expect(dead).toEqual([])
  const anchors = links.map((link) => new URL(link).hash.slice(1)).filter(Boolean)
  expect(anchors).toEqual(operations.map(referenceAnchor))
})

it('every link of the Markdown answers 200, and its anchor exists', async () => {
  for (const area of areaNames) expect((await follow(`/reference/${area}.md`)).dead).toEqual([])
})

it('the page links the Markdown for a browser without JavaScript', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${app.url}/reference/try`)
  await shoot(page, 'without-javascript')
  await page.getByRole('link', { name: '/reference/dns.md' }).click()
  await page.waitForURL('**/reference/dns.md')
  await page.getByText('## POST /v1/dns/zones/{zone}/records').first().waitFor()
  await context.close()
})

describe('the commands of the Markdown', () => {
  const run = promisify(execFile)
  let token: string
  beforeAll(async () => {
    token = await app.token(await app.account('ada@example.com'), '*')
  })

  it.each(areaNames)('the commands of /reference/%s.md work unchanged', async (area) => {
    const text = await (await fetch(`${app.url}/reference/${area}.md`)).text()
    const commands = Array.from(text.matchAll(/(?<=^```sh\n)[^]*?(?=\n```$)/gm), ([command]) => command)
    expect(commands.length).toBe(operations.filter((op) => areaOf(op) === area).length)
    for (const command of commands) {
      // One of the commands releases the zone of the others.
      await app.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
      const local = command.replaceAll(/http:\/\/[^/]+\//g, `${app.url}/`)
      const env = { ...process.env, SVC_TOKEN: token }
      if (area === 'events') {
        // A stream has no end.
        const { stdout } = await run('bash', ['-c', `timeout 2 ${local} || test $? = 124`], { env })
        expect(stdout).toMatch(/^retry: 3000\nid: \d+\n\n/)
        continue
      }
      const { stdout } = await run('bash', ['-c', local], { env })
      const answer = stdout.startsWith('{"success"') ? (JSON.parse(stdout) as Envelope) : { success: true }
      // An example may name an id that this account does not have, in the path or in a field.
      const { error, field } = answer as { error?: string; field?: string }
      const isUnknownId = error === 'not_found' || (error === 'bad_request' && field === 'key_id')
      expect(isUnknownId ? undefined : error, `${command}\n${stdout}`).toBeUndefined()
    }
  })
})
