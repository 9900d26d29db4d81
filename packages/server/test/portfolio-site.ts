import { expect } from 'vitest'
import type { Config } from '../src/config/config.js'
import type { Account } from '../src/shared/account.js'
import type { Answer, DatabaseKind, Envelope } from './app.js'
import { startSite, type Browser, type Site } from './site.js'

export type Owner = 'ada' | 'bob'

/** A server with two accounts that have domains. */
export interface PortfolioSite {
  readonly site: Site
  readonly accounts: Record<Owner, Account>
  readonly browsers: Record<Owner, Browser>
  readonly add: (owner: Owner, ...domains: string[]) => Promise<Answer>
  readonly remove: (owner: Owner, id: number) => Promise<Answer>
  readonly annotate: (owner: Owner, id: number, note: string) => Promise<Answer>
  readonly list: (owner: Owner) => Promise<Envelope[]>
  readonly sync: (owner: Owner, domain: string) => Promise<Answer>
  readonly stop: () => Promise<void>
}

export async function startPortfolio(kind: DatabaseKind, overrides: Partial<Config> = {}): Promise<PortfolioSite> {
  const site = await startSite(kind, overrides)
  const account = (owner: Owner) => site.account(`${owner}@example.com`)
  const accounts = { ada: await account('ada'), bob: await account('bob') }
  const browsers = { ada: await site.browser('ada@example.com'), bob: await site.browser('bob@example.com') }
  const token = (owner: Owner) => site.token(accounts[owner], 'domain:write')
  const tokens = { ada: await token('ada'), bob: await token('bob') }
  const post = (owner: Owner, name: string, body: Envelope) =>
    browsers[owner].call('POST', `/domains/${name}`, { body })
  return {
    site,
    accounts,
    browsers,
    add: (owner, ...domains) => post(owner, 'add', { domains }),
    remove: (owner, id) => post(owner, 'remove', { id }),
    annotate: (owner, id, note) => post(owner, 'annotate', { id, note }),
    list: async (owner) =>
      dataOf(await site.call('GET', '/v1/domains', { token: tokens[owner] }))['domains'] as Envelope[],
    sync: (owner, domain) => site.call('POST', '/v1/domains/whois-sync', { token: tokens[owner], body: { domain } }),
    stop: () => site.stop(),
  }
}

/** `data` of an answer that must be 200. */
export function dataOf(answer: Answer): Envelope {
  expect(answer.status, answer.text).toBe(200)
  return answer.body['data'] as Envelope
}

/** Status, code and message of an error. */
export const problemOf = ({ status, body }: Answer): unknown[] => [status, body['error'], body['message']]
