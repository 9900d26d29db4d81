import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { ask } from '../../packages/server/test/dns-ask.js'
import { dnsSettings } from '../../packages/server/test/zone-site.js'
import { startConsole, type ConsoleSite } from './harness.js'

/** A console whose zones have a history, and what its pages show of it. */

export const ada = 'ada@example.com'
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

type Fields = Record<string, unknown>

/** A zone of ada. Its changes are made by the session of a browser. */
export interface HistoryZone {
  readonly name: string
  readonly create: (host: string, value: string, fields?: object) => Promise<Fields>
  readonly update: (id: unknown, body: object) => Promise<Fields>
  readonly importLines: (lines: readonly string[], replace?: boolean) => Promise<Fields>
  /** The serial of the latest change. */
  readonly latest: () => Promise<number>
  readonly release: () => Promise<void>
  /** The addresses that the nameserver answers for a host. */
  readonly addressesOf: (host: string) => Promise<string[]>
  readonly openHistory: (query?: string, options?: BrowserContextOptions) => Promise<Page>
}

export interface HistorySite {
  readonly site: ConsoleSite
  /** Of an API key with the name `deploy`. */
  readonly token: string
  /** Claims a new zone. */
  readonly claim: (name?: string) => Promise<HistoryZone>
}

/** Starts the console for the tests of a file, and stops it after them. */
export function historyForTests(): HistorySite {
  let started: HistorySite
  beforeAll(async () => {
    started = await startHistory()
  })
  afterAll(() => started.site.close())
  return {
    get site() {
      return started.site
    },
    get token() {
      return started.token
    },
    claim: (name) => started.claim(name),
  }
}

async function startHistory(): Promise<HistorySite> {
  const site = await startConsole({ dns: { ...dnsSettings([]), recordsMax: 20_000 } })
  const token = await site.token(await site.account(ada), 'dns:write')
  await site.sql(`update token set name = 'deploy'`)
  const browser = await site.browser(ada)
  const write = async (path: string, body: object, method = 'POST'): Promise<Fields> => {
    const answer = await browser.call(method, `/dns/zones${path}`, { body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Fields
  }
  let zones = 0
  const claim = async (name = `history${String(++zones)}.com`): Promise<HistoryZone> => {
    await write('', { zone: name })
    return {
      name,
      create: (host, value, fields = {}) => write(`/${name}/records`, { type: 'A', host, value, ttl: 300, ...fields }),
      update: (id, body) => write(`/${name}/records/${String(id)}`, body, 'PATCH'),
      importLines: (lines, replace = false) => write(`/${name}/zone-file/import`, { text: lines.join('\n'), replace }),
      latest: async () => {
        const { body } = await browser.call('GET', `/dns/zones/${name}/history?limit=1`)
        return (body['data'] as { changes: { serial: number }[] }).changes[0]?.serial ?? 0
      },
      release: async () => expect((await browser.call('DELETE', `/dns/zones/${name}`)).status).toBe(200),
      addressesOf: async (host) => (await ask(site.dnsPort, `${host}.${name}`, 'A')).answers.map(({ value }) => value),
      openHistory: (query = '', options = {}) => site.open(ada, `dns/${name}/history${query}`, options),
    }
  }
  return { site, token, claim }
}

export const changesOf = (page: Page) => page.locator('main ol > li')
export const dialogOf = (page: Page) => page.getByRole('dialog')

/** The differences as a screen reader has them, such as `www A 5 min: Removed: 192.0.2.1, Added: 192.0.2.7`. */
export const differences = (page: Page, within = 'main ol') =>
  page.locator(`${within} [class*="_set_"]`).evaluateAll((sets) =>
    sets.map((set) => {
      const values = [...set.querySelectorAll('[class*="_value_"]')].map(({ textContent }) => textContent)
      return `${String(set.querySelector('[class*="_name_"] > div')?.textContent)}: ${values.join(', ')}`
    }),
  )

/** Opens the preview of the newest change that can be taken back. */
export const takeBackFirst = (page: Page) =>
  page
    .getByRole('button', { name: /^Take this back/ })
    .first()
    .click()

/** Opens the menu of a change and presses an item. @param index from 0, the newest first */
export async function chooseOf(page: Page, index: number, item: string): Promise<void> {
  await changesOf(page)
    .nth(index)
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}
