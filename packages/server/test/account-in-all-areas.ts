import { expect } from 'vitest'
import { trafficStore } from '../src/areas/files/sharing/traffic-store.js'
import type { Account } from '../src/shared/account.js'
import type { Envelope } from './app.js'
import { send } from './raw-http.js'
import { deploySite } from './site-host.js'
import type { Site } from './site.js'

/** An account with rows in every area. */
export interface FullAccount {
  readonly account: Account
  readonly token: string
  /** A zone with the record `www`. */
  readonly zone: string
  /** The path of a share link. */
  readonly sharePath: string
  /** Of a site with the own domain `www.<zone>`. */
  readonly siteName: string
}

const large = Buffer.alloc(20_000, 'x').toString('base64')

/**
 * Creates an account with rows in every area. For several accounts on one server: its names are derived from `name`. `fillAccount` in
 * full-account.ts fills an account with the examples of the contract, and has rarer rows, such as a released zone.
 * @param name unique among the accounts of the server
 */
export async function fullAccount(site: Site, name: string): Promise<FullAccount> {
  const account = await site.account(`${name}@example.com`)
  const token = await site.token(account, '*')
  const browser = await site.browser(account.email)
  const api = async (method: string, path: string, body?: unknown): Promise<Envelope> => {
    const answer = await site.call(method, `/v1${path}`, { token, body })
    expect(answer.status, `${path} ${answer.text}`).toBe(200)
    return answer.body['data']
  }
  const inConsole = async (path: string, body: unknown): Promise<Envelope> => {
    const answer = await browser.call('POST', path, { body })
    expect(answer.status, `${path} ${answer.text}`).toBe(200)
    return answer.body['data']
  }
  const content = (path: string, body: string, type: string) =>
    send(site.url, 'POST', path, { headers: { host: 'content.localhost', 'content-type': type }, body })

  const zone = `${name}.example`
  await api('POST', '/dns/zones', { zone })
  await api('POST', `/dns/zones/${zone}/records`, { type: 'A', host: '@', value: '192.0.2.1' })
  await site.sql(`insert into dns_former_holder (account_id, zone_id)
    select ${String(account.id)}, id from dns_zone where name = '${zone}'`)

  const shared = await api('POST', '/files/upload', { name: 'shared.txt', content: 'aGVsbG8=', shared: true })
  await api('POST', '/files/upload', { name: 'large.bin', content: large })
  await api('POST', '/files/upload-chunk', { index: 0, content: large })
  await trafficStore(site.app.database).add([[shared['id'], { requests: 1, hits: 0, misses: 1, bytesServed: 5 }]])

  await deploySite(site.url, token, name, { 'index.html': `<h1>${name}</h1>` })
  await site.sql(`insert into site_compaction (blob_key, account_id, due_at)
    select blob_key, account_id, 9000000000000000 from site_content where account_id = ${account.id}`)
  await inConsole('/sites/domains/add', { name, host: `www.${zone}` })

  const artifacts = [{ name: 'a.txt', content: 'aGVsbG8=' }]
  await api('POST', '/packages/publish', { slug: `kept-${name}`, version: '1.0.0', artifacts })
  await api('POST', '/packages/publish', { slug: `gone-${name}`, version: '1.0.0', artifacts })
  await api('POST', '/packages/delete', { slug: `gone-${name}` })

  const form = await inConsole('/deployments/create', { kind: 'form' })
  await content(new URL(form['url']).pathname, 'email=a%40example.com', 'application/x-www-form-urlencoded')
  const webhook = await inConsole('/deployments/create', { kind: 'webhook', target: 'http://127.0.0.1:1024/' })
  await content(new URL(webhook['url']).pathname, '{}', 'application/json')
  await inConsole('/deployments/create', { kind: 'shortlink', slug: `kept-${name}`, target: 'https://example.com/' })

  const { key } = await api('POST', '/sms/keys', { label: 'Phone' })
  const headers = { 'content-type': 'application/json' }
  const sms = { headers, body: JSON.stringify({ from: '+1555', text: 'hello' }) }
  expect((await send(site.url, 'POST', `/sms/${String(key)}`, sms)).status).toBe(200)

  await api('POST', '/cred', { platform: 'github', secret: 'hunter2' })
  await inConsole('/domains/add', { domains: [`${name}.com`] })
  await inConsole('/domains/calendar/create', {})
  return { account, token, zone, sharePath: new URL(shared['share_url']).pathname, siteName: name }
}
