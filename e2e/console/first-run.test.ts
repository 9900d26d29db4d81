import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bin } from '../../packages/cli/test/svc.js'
import { ensure, freePort, sharedChromium, startProcess, type Running } from '../../test/servers/index.js'
import { inspect } from './harness.js'

/** The first minutes of an owner: from `svc serve` on an empty directory to an answer of the nameserver. */

let folder: string
let url: string
let dnsPort: number
let server: Running
let chromium: Browser
beforeAll(async () => {
  ensure('dig')
  chromium = await sharedChromium()
  folder = await mkdtemp(join(tmpdir(), 'svc-first-run-'))
  const port = await freePort()
  dnsPort = await freePort()
  url = `http://127.0.0.1:${String(port)}`
  const ports = ['--port', String(port), '--dns-port', String(dnsPort)]
  server = await startProcess({
    command: process.execPath,
    args: [bin, 'serve', '--data', folder, ...ports],
    log: join(folder, 'output'),
    deadlineMs: 90_000,
    ready: async () => (await output()).includes('enter the code'),
  })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const output = () => readFile(join(folder, 'output'), 'utf8')

it('creates the first account with the printed code; its zone is answered by dig', { timeout: 120_000 }, async () => {
  const [, address = '', code = ''] = /Open (\S+) and enter the code (\S+) to create/.exec(await output()) ?? []
  expect(address).toBe(`${url}/console`)
  await using context = await chromium.newContext()
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('heading', { name: 'Create the first account' }).waitFor()
  const password = page.getByRole('textbox', { name: 'Password' })
  await password.fill('short')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText('Enter the code that the server has printed.').waitFor()
  await page.getByText('Must be an address such as you@example.com.').waitFor()
  await page.getByText('characters, not 5.').waitFor()
  await page.getByLabel('Setup code').and(page.locator(':focus')).waitFor()
  await inspect(page, 'first-run-problems')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByText('Must be an address such as you@example.com.').waitFor({ state: 'detached' })
  await password.fill('correct horse battery staple')
  await page.getByLabel('Setup code').fill('AAAA-AAAA')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText('Must be the code that svc serve or svc setup-code printed last.').waitFor()
  expect(await password.inputValue()).toBe('correct horse battery staple')
  await page.getByLabel('Setup code').and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Where is the code?' }).click()
  await page.getByText('journalctl -u svc').waitFor()
  await inspect(page, 'first-run')
  expect(await password.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: 'Show the password' }).click()
  expect(await password.getAttribute('type')).toBe('text')

  await page.getByLabel('Setup code').fill(code.toLowerCase())
  await page.getByRole('button', { name: 'Create the account' }).click()
  // Until its code is there, the frame of the page is another one.
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByText('ada@example.com').waitFor()

  const post = async (path: string, data: object) =>
    (await page.request.post(`${url}/console/api/dns/${path}`, { data, headers: { origin: url } })).status()
  expect(await post('zones', { zone: 'example.com' })).toBe(200)
  expect(await post('zones/example.com/records', { type: 'A', host: 'www', value: '192.0.2.1' })).toBe(200)
  const question = ['@127.0.0.1', '-p', String(dnsPort), 'www.example.com', '+short']
  expect(execFileSync('dig', question, { encoding: 'utf8' })).toBe('192.0.2.1\n')
})

it('asks the next visitor to sign in', { timeout: 60_000 }, async () => {
  await using context = await chromium.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/`)
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console')
})
