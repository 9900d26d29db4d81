import type { Answer } from './app.js'
import { ask } from './dns-ask.js'
import type { Browser } from './site.js'
import { deploySite, getPage } from './site-host.js'
import { dataOf, startZoneSite, type Person, type ZoneSite } from './zone-site.js'

/** A server with zones and sites, for the own domains of sites. */

export interface Domains {
  readonly zones: ZoneSite
  readonly browsers: Record<'ada' | 'bob', Browser>
  readonly add: (person: 'ada' | 'bob', name: string, host: string) => Promise<Answer>
  readonly remove: (person: 'ada' | 'bob', host: string) => Promise<Answer>
  readonly list: (person: 'ada' | 'bob') => Promise<unknown>
  readonly page: (host: string) => Promise<string>
  /** The records at a name, as the nameserver answers. */
  readonly dig: (name: string, type: string) => Promise<string[]>
  readonly deploy: (person: Person, name: string) => Promise<void>
}

export async function startDomains(...[kind, settings]: Parameters<typeof startZoneSite>): Promise<Domains> {
  const zones = await startZoneSite(kind, { sitesDomain: 'sites.example', ...settings })
  const { site, accounts } = zones
  const browsers = { ada: await site.browser('ada@example.com'), bob: await site.browser('bob@example.com') }
  return {
    zones,
    browsers,
    add: (person, name, host) => browsers[person].call('POST', '/sites/domains/add', { body: { name, host } }),
    remove: (person, host) => browsers[person].call('POST', '/sites/domains/remove', { body: { host } }),
    list: async (person) => dataOf(await browsers[person].call('GET', '/sites/domains'))['domains'],
    page: async (host) => {
      const { status, text } = await getPage(site.url, host, '/')
      return status === 200 ? text : String(status)
    },
    dig: async (name, type) =>
      (await ask(site.dnsPort, name, type)).answers.map((record) => `${record.type} ${record.value}`),
    deploy: async (person, name) => {
      const token = await site.token(accounts[person], 'sites:write')
      await deploySite(site.url, token, name, { 'index.html': `page of ${name}` })
    },
  }
}

/** Status, code and message of an error. */
export const problem = ({ status, body }: Answer): unknown => [status, body['error'], body['message']]
