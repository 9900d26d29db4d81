import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { ask } from '../../packages/server/test/dns-ask.js'
import { getPage } from '../../packages/server/test/site-host.js'
import { sharedChromium } from '../../test/servers/index.js'
import type { Machine } from '../machine.js'

/** The first minutes of a new user in the console, in Chromium: the first account, a zone, a file and a site. */

type Server = Pick<Machine, 'url' | 'dnsPort'>

const email = 'owner@example.com'
const password = 'correct horse battery staple'
const zone = 'tour.example'
const file = { name: 'opening-hours.txt', mimeType: 'text/plain', buffer: Buffer.from('from nine to five') }

/** Milliseconds for each step. */
const patience = 60_000

/** Runs steps in a new browser profile. Errors of scripts fail it. */
async function inBrowser(steps: (page: Page) => Promise<void>): Promise<void> {
  await using context = await (await sharedChromium()).newContext({ reducedMotion: 'reduce' })
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  await steps(page)
  expect(errors).toEqual([])
}

/** @param code that the server has printed */
export const takeTour = (server: Server, code: string): Promise<void> =>
  inBrowser(async (page) => {
    await page.goto(server.url)
    await page.getByRole('heading', { name: 'Create the first account' }).waitFor()
    await page.getByLabel('Setup code').fill(code)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await claimZone(page, server)
    await uploadFile(page, server)
    await deployFolder(page, server)
    await expectAnswers(server)
  })

async function claimZone(page: Page, { url }: Server): Promise<void> {
  await page.goto(`${url}/console/dns`)
  await page.getByRole('button', { name: 'Claim a zone' }).first().click()
  await page.getByRole('textbox', { name: 'Zone' }).fill(zone)
  await page.getByRole('button', { name: 'Claim the zone' }).click()
  await page.getByRole('heading', { name: 'No records yet' }).waitFor()
  await page.getByRole('button', { name: 'Add a record' }).last().click()
  const form = page.getByRole('region', { name: 'Add a record' })
  await form.getByLabel('Host').fill('www')
  await form.getByLabel('IPv4 address').fill('192.0.2.1')
  await form.getByRole('button', { name: 'Add the record' }).click()
  await page.getByText(/^A .* is added/).waitFor()
}

async function uploadFile(page: Page, { url }: Server): Promise<void> {
  await page.goto(`${url}/console/files`)
  await page.getByLabel('Files to upload').setInputFiles(file)
  await page.getByRole('link', { name: file.name }).waitFor()
}

async function deployFolder(page: Page, { url }: Server): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tour-'))
  const site = join(folder, 'tour')
  await mkdir(site)
  await writeFile(join(site, 'index.html'), 'hello from the tour')
  await page.goto(`${url}/console/sites`)
  await page.getByLabel('Folder of the site').setInputFiles(site)
  await page.getByRole('button', { name: 'Deploy the site' }).click()
  await page.getByRole('heading', { name: 'tour', exact: true }).waitFor()
  await rm(folder, { recursive: true })
}

/** The nameserver has the record, and the site is online. */
async function expectAnswers({ url, dnsPort }: Server): Promise<void> {
  expect((await ask(dnsPort, `www.${zone}`, 'A')).answers).toMatchObject([{ value: '192.0.2.1' }])
  expect((await getPage(url, 'tour.localhost', '/')).text).toBe('hello from the tour')
}

/** Signs in to a server with the data of the tour, and finds all of it. */
export const revisit = (server: Server): Promise<void> =>
  inBrowser(async (page) => {
    await page.goto(`${server.url}/console/files`)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: file.name }).click()
    await page.getByLabel('Contents').getByText('from nine to five').waitFor()
    await page.goto(`${server.url}/console/dns/${zone}`)
    await page.getByText('192.0.2.1').first().waitFor()
    await page.goto(`${server.url}/console/sites`)
    await page.getByRole('link', { name: 'tour', exact: true }).waitFor()
    await expectAnswers(server)
  })
