import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openGate, type Gate } from './gate.js'
import { startConsole, type ConsoleSite } from './harness.js'

/** The server goes away just before each of twelve steps. None needs a reload, and nothing that was typed is lost. */

const ada = 'ada@example.com'

/** The time without a server, in milliseconds, after the console has noticed it. */
const outageMs = process.env['SVC_TEST_LONG'] === '1' ? 10_000 : 0

let site: ConsoleSite
let gate: Gate
beforeAll(async () => {
  site = await startConsole()
  gate = await openGate(site.url)
  const token = await site.token(await site.account(ada), '*')
  const call = async (path: string, body: object) =>
    expect((await site.call('POST', path, { token, body })).status).toBe(200)
  await call('/v1/dns/zones', { zone: 'example.com' })
  for (const host of ['www', 'old'])
    await call('/v1/dns/zones/example.com/records', { type: 'A', host, value: '192.0.2.1' })
  await call('/v1/files/upload', { name: 'price-list.txt', content: 'aGVsbG8=' })
})
afterAll(async () => {
  await gate.close()
  await site.close()
})

interface Step {
  readonly path: string
  /** What the user types before the outage: fields and texts. */
  readonly typed?: (page: Page) => readonly (readonly [Locator, string])[]
  /** Another input before the outage. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Calls the server. It is repeated after the outage, unless the console does that by itself. */
  readonly act: (page: Page) => Promise<unknown>
  readonly isResumed?: true
  readonly result: (page: Page) => Locator
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const checkScope = (page: Page) => dialog(page).getByRole('checkbox', { name: 'dns:read' }).check()

const steps: Readonly<Record<string, Step>> = {
  'opens another page': {
    path: '',
    prepare: (page) => page.getByRole('heading', { name: 'Overview' }).waitFor(),
    act: (page) => page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Sites' }).click(),
    isResumed: true,
    result: (page) => page.getByRole('heading', { name: 'Sites', exact: true }),
  },
  'claims a zone': {
    path: 'dns?claim',
    typed: (page) => [[field(page, 'Zone'), 'example.net']],
    act: (page) => button(page, 'Claim the zone').click(),
    result: (page) => page.getByRole('heading', { name: 'example.net', exact: true }),
  },
  'adds a record': {
    path: 'dns/example.com?add',
    typed: (page) => [
      [page.getByRole('region', { name: 'Add a record' }).getByLabel('Host'), 'shop'],
      [field(page, 'IPv4 address'), '192.0.2.9'],
    ],
    act: (page) => button(page, 'Add the record').click(),
    result: (page) => button(page, 'Delete A shop.example.com'),
  },
  'changes a record': {
    path: 'dns/example.com',
    prepare: (page) => button(page, 'Edit A www.example.com').click(),
    typed: (page) => [[dialog(page).getByLabel('IPv4 address'), '192.0.2.77']],
    act: (page) => button(page, 'Save the record').click(),
    result: (page) => page.getByRole('row').getByText('192.0.2.77'),
  },
  'deletes a record': {
    path: 'dns/example.com',
    prepare: (page) => button(page, 'Delete A old.example.com').waitFor(),
    act: (page) => button(page, 'Delete A old.example.com').click(),
    result: (page) => page.getByText('A old.example.com is deleted.'),
  },
  'previews an import': {
    path: 'dns/example.com?import',
    typed: (page) => [[field(page, 'Zone file'), 'mail 3600 A 192.0.2.25']],
    act: (page) => button(page, 'Preview the changes').click(),
    result: (page) => page.getByText('1 added'),
  },
  'uploads a file': {
    path: 'files',
    prepare: (page) => page.getByRole('link', { name: 'price-list.txt' }).waitFor(),
    act: (page) =>
      page
        .getByLabel('Files to upload')
        .setInputFiles({ name: 'hours.txt', mimeType: 'text/plain', buffer: Buffer.from('hours') }),
    isResumed: true,
    result: (page) => page.getByRole('link', { name: 'hours.txt' }),
  },
  'shares a file': {
    path: 'files',
    prepare: (page) => page.getByRole('switch', { name: 'Share price-list.txt' }).waitFor(),
    act: (page) => page.getByRole('switch', { name: 'Share price-list.txt' }).press('Space'),
    result: (page) => page.getByText('price-list.txt is shared: anyone with its link can open it.'),
  },
  'creates an API key': {
    path: 'account/keys?new',
    typed: (page) => [[field(page, 'Name'), 'ci']],
    prepare: checkScope,
    act: (page) => button(page, 'Create the key').click(),
    result: (page) => page.locator('[data-secret]'),
  },
  'stores a credential': {
    path: 'credentials?new',
    typed: (page) => [
      [page.getByRole('combobox', { name: 'Platform' }), 'registrar.example'],
      [field(page, 'Secret'), 'hunter2'],
    ],
    act: (page) => button(page, 'Store the credential').click(),
    result: (page) => page.getByText('registrar.example is stored.'),
  },
  'creates a key for a phone': {
    path: 'messages/keys?new',
    typed: (page) => [[page.getByLabel('Phone'), 'Pixel of Ada']],
    act: (page) => button(page, 'Create the key').click(),
    result: (page) => page.locator('[data-secret]'),
  },
  'changes the display name': {
    path: 'account',
    typed: (page) => [[page.getByLabel('Display name'), 'Countess']],
    act: (page) => button(page, 'Save the name').click(),
    result: (page) => page.getByText('Your display name is now Countess.'),
  },
}

it.each(Object.entries(steps))('%s after an outage, without a reload and with all that was typed', async (_, step) => {
  const page = await site.open(ada, 'tools')
  await page.goto(`${gate.url}/console/${step.path}`)
  await page.evaluate('window.isFirstLoad = true')
  await step.prepare?.(page)
  const typed = step.typed?.(page) ?? []
  for (const [input, text] of typed) await input.fill(text)

  const strip = page.getByText('Server not reachable.')
  await gate.close()
  await step.act(page)
  await strip.waitFor()
  await sleep(outageMs)
  for (const [input, text] of typed) expect(await input.inputValue()).toBe(text)
  await gate.open()
  await strip.waitFor({ state: 'hidden' })
  if (step.isResumed === undefined) {
    for (const [input, text] of typed) expect(await input.inputValue()).toBe(text)
    await step.act(page)
  }
  await step.result(page).first().waitFor()
  expect(await page.evaluate('window.isFirstLoad')).toBe(true)
  await page.context().close()
})
