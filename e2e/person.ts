import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { ask } from '../packages/server/test/dns-ask.js'
import { send } from '../packages/server/test/raw-http.js'
import { deploySite, getPage } from '../packages/server/test/site-host.js'
import type { Machine } from './machine.js'

/** A user with something in every area, and everything that the user sees of it. */

export interface Person {
  readonly email: string
  readonly password: string
  /** With all scopes. */
  readonly token: string
}

type Server = Pick<Machine, 'url' | 'dnsPort'>

type Data = Record<string, unknown>

interface Access {
  readonly api: (path: string, body?: unknown) => Promise<Data>
  readonly inConsole: (path: string, body?: unknown) => Promise<Data>
}

/** Calls of the API with the token, and of the console with a session. */
async function accessOf({ url }: Server, { email, password, token }: Person): Promise<Access> {
  const call = async (path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(url + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...headers, origin: url, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    })
    const text = await response.text()
    expect(response.status, `${path}: ${text}`).toBe(200)
    return { response, data: (JSON.parse(text) as { data: Data }).data }
  }
  const { response } = await call('/console/api/session/sign-in', {}, { email, password })
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return {
    api: async (path, body) => (await call(`/v1${path}`, { authorization: `Bearer ${token}` }, body)).data,
    inConsole: async (path, body) => (await call(`/console/api${path}`, { cookie }, body)).data,
  }
}

const zone = 'ada.example'
const siteHost = `www.${zone}`

/** Bytes that are stored as objects. */
const large = Buffer.alloc(300_000, 'large').toString('base64')

/** Fills an account through the API and the console. */
export async function fill(machine: Server, person: Person): Promise<void> {
  const { api, inConsole } = await accessOf(machine, person)
  await api('/account/profile', { field: 'nickname', value: 'Ada' })
  await api('/dns/zones', { zone })
  for (const [type, host, value] of [
    ['A', '@', '192.0.2.1'],
    ['TXT', 'text', 'hello world'],
    ['AAAA', '*', '2001:db8::1'],
  ])
    await api(`/dns/zones/${zone}/records`, { type, host, value })
  await api('/files/upload', { name: 'small.txt', content: 'aGVsbG8=', shared: true })
  await api('/files/upload', { name: 'large.bin', content: large, shared: true })
  for (const text of ['one', 'two'])
    await deploySite(machine.url, person.token, 'ada', { 'index.html': text, 'a.txt': 'a'.repeat(20_000) })
  await inConsole('/sites/domains/add', { name: 'ada', host: siteHost })
  await api('/packages/publish', { slug: 'ada', version: '1.0.0', artifacts: [{ name: 'a.bin', content: large }] })
  await api('/cred', { platform: 'github', secret: 'hunter2' })
  await inConsole('/domains/calendar/create', {})
  const { key } = await api('/sms/keys', { label: 'Phone', signing_key: 'k8Yz2QpW' })
  const { key: unsigned } = await api('/sms/keys', { label: 'Old phone' })
  expect(key).toEqual(expect.any(String))
  await fetch(`${machine.url}/sms/${String(unsigned)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: '+491701', text: 'hello' }),
  })
  await inConsole('/deployments/create', { kind: 'shortlink', target: 'https://example.com/' })
  for (const [kind, body, type] of [
    ['form', 'email=a%40example.com', 'application/x-www-form-urlencoded'],
    ['webhook', '{}', 'application/json'],
  ] as const) {
    const { url } = await inConsole('/deployments/create', { kind })
    const { host, pathname } = new URL(String(url))
    await send(machine.url, 'POST', pathname, { headers: { host, 'content-type': type }, body })
  }
}

/**
 * Everything that the user of `fill` sees: lists, bytes of files by hash, pages and DNS answers. Without ports of the machine, and
 * without times of the last use.
 */
export async function viewOf(machine: Server, person: Person): Promise<Data> {
  const { api, inConsole } = await accessOf(machine, person)
  const view: Data = {}
  for (const path of [
    ...['/dns/zones', `/dns/zones/${zone}`, `/dns/zones/${zone}/records`, '/cred', '/files', '/sms/keys'],
    ...['/sms/messages', '/sites', '/deployments', '/packages', '/packages/ada'],
  ])
    view[path] = await api(path)
  for (const path of ['/keys', '/sites/domains', '/sites/versions?name=ada', '/domains/calendar'])
    view[path] = await inConsole(path)
  const { deployments } = view['/deployments'] as { deployments: { id: number; kind: string }[] }
  for (const { id, kind } of deployments) {
    if (kind === 'form') view['submissions'] = await inConsole(`/deployments/${id}/submissions`)
    if (kind === 'webhook') view['requests'] = await inConsole(`/deployments/${id}/requests`)
  }
  const { files } = view['/files'] as { files: { id: number; name: string; share_url: string }[] }
  for (const { id, name, share_url: link } of files) {
    const headers = { authorization: `Bearer ${person.token}` }
    const download = await fetch(`${machine.url}/v1/files/download?id=${id}`, { headers })
    const shared = await getPage(machine.url, 'content.localhost', new URL(link).pathname)
    view[name] = [download.status, sha256(await download.text()), shared.status, sha256(shared.text)]
  }
  for (const host of ['ada.localhost', siteHost]) {
    const page = await getPage(machine.url, host, '/')
    view[host] = [page.status, page.text]
  }
  for (const name of [zone, `x.${zone}`, `text.${zone}`])
    for (const type of ['A', 'AAAA', 'TXT'])
      view[`${name} ${type}`] = (await ask(machine.dnsPort, name, type)).answers.map(({ value }) => value)
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) => (key.startsWith('last_used_') ? undefined : value)).replaceAll(
      `:${new URL(machine.url).port}`,
      '',
    ),
  ) as Data
}

/** A view without what an import changes: ids, version numbers, and the times of claims, which are made anew. */
export const withoutIds = (view: Data): unknown =>
  JSON.parse(
    JSON.stringify(view, function (this: Data, key, value: unknown) {
      const isTimeOfClaim = key === 'created_at' && 'verification' in this
      return isTimeOfClaim || /^version$|(^|_)id$/.test(key) ? undefined : value
    }),
  )

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
