import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../packages/cli/test/svc.js'
import { deploySite } from '../packages/server/test/site-host.js'
import { startCaddy, startNginx, type Proxy } from '../test/servers/index.js'
import { accountSession, accountToken } from './account-token.js'
import { blocksOf, sectionOf } from './markdown-blocks.js'

/** The configurations of docs/operating.md in the real proxies, with only paths and ports replaced. */

const operating = await readFile(fileURLToPath(new URL('../docs/operating.md', import.meta.url)), 'utf8')
const blocks = blocksOf(sectionOf(operating, 'Behind a reverse proxy'))
const [shared = '', hosts = ''] = blocks.filter(({ language }) => language === 'nginx').map(({ text }) => text)
const [caddyfile = ''] = blocks.filter(({ language }) => language === 'text').map(({ text }) => text)

const bytes = randomBytes(20_000_000)
const sha256 = createHash('sha256').update(bytes).digest('hex')

let place: Place & AsyncDisposable
let serving: Serving & AsyncDisposable
let token: string
beforeAll(async () => {
  place = await emptyPlace()
  const env = {
    SVC_PUBLIC_URL: 'https://api.example.com',
    SVC_SITES_DOMAIN: 'example-sites.net',
    SVC_TRUST_PROXY: 'loopback',
    SVC_SITES_ADDRESSES: '192.0.2.1',
  }
  serving = await svcServe({ ...place, env })
  token = await accountToken(place, 'ada@example.com', '*')
  await deploySite(serving.url, token, 'docs', { 'index.html': 'the site' })
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | number>>
}

/** Sends a request for a host to the proxy. */
async function ask(proxy: Proxy, host: string, path: string, options: AskOptions = {}, body?: Buffer) {
  const { headers, ...rest } = options
  const answer = await new Promise<{ status: number | undefined; text: Buffer }>((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: proxy.port,
        path,
        servername: host,
        agent: false,
        rejectUnauthorized: false,
        ...rest,
        headers: { host, ...headers },
      },
      (response) => void buffer(response).then((text) => resolve({ status: response.statusCode, text }), reject),
    )
    asked.on('error', reject)
    asked.end(body)
  })
  return { status: answer.status, bytes: answer.text, text: answer.text.toString() }
}

const uploadTo = (proxy: Proxy, name: string, body?: Buffer) => {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
  }
  return ask(proxy, 'api.example.com', `/v1/files/upload?name=${name}&shared=true`, { method: 'POST', headers }, body)
}

const certificates = ['api.example.com', 'example-sites.net', 'www.example.org']
const svcPort = () => Number(new URL(serving.url).port)
const proxies: [string, () => Promise<Proxy>][] = [
  ['nginx', () => startNginx(shared, hosts, { svcPort: svcPort(), hosts: certificates })],
  ['Caddy', () => startCaddy(caddyfile, { svcPort: svcPort(), hosts: certificates })],
]

describe.each(proxies)('the documented configuration of %s', (name, start) => {
  let proxy: Proxy
  beforeAll(async () => {
    proxy = await start()
  })
  afterAll(() => proxy.stop())

  it('takes an upload of 20 MB, and its share link sends it again', async () => {
    const { status, text } = await uploadTo(proxy, `${name}.bin`, bytes)
    expect([status, text]).toEqual([200, expect.stringContaining(sha256)])
    const { data } = JSON.parse(text) as { data: { share_url: string } }
    const link = new URL(data.share_url)
    expect(link.origin).toBe('https://content.example-sites.net')
    const shown = await ask(proxy, link.host, link.pathname)
    expect(createHash('sha256').update(shown.bytes).digest('hex')).toBe(sha256)
  })

  it('serves a site at its host, with 100 kB of cookies', async () => {
    const cookie = Array.from({ length: 25 }, (_, i) => `c${i}=${'x'.repeat(4000)}`).join('; ')
    const plain = await ask(proxy, 'docs.example-sites.net', '/')
    expect([plain.status, plain.text]).toEqual([200, 'the site'])
    const large = await ask(proxy, 'docs.example-sites.net', '/', { headers: { cookie } })
    expect(large.text).not.toContain(name.toLowerCase())
  })

  it('serves a site at its own domain', async () => {
    const headers = { cookie: await sessionOf(), origin: 'https://api.example.com', 'content-type': 'application/json' }
    const post = (path: string, body: object) =>
      ask(proxy, 'api.example.com', path, { method: 'POST', headers }, Buffer.from(JSON.stringify(body)))
    await post('/console/api/dns/zones', { zone: 'example.org' })
    const added = await post('/console/api/sites/domains/add', { name: 'docs', host: 'www.example.org' })
    expect(added.status, added.text).toBe(200)
    const shown = await ask(proxy, 'www.example.org', '/')
    expect([shown.status, shown.text]).toEqual([200, 'the site'])
    await post('/console/api/sites/domains/remove', { host: 'www.example.org' })
  })

  it('passes an event on at once', async () => {
    const stream = listen(proxy)
    await stream.has('retry: 3000')
    await claim(proxy, `${name.toLowerCase()}-events.example`)
    await stream.has('"zone_claim"')
    stream.close()
  })

  it('refuses a host that svc does not serve', async () => {
    await expect(ask(proxy, 'elsewhere.example', '/')).rejects.toThrow()
  })
})

/** Opens a stream of events through a proxy. */
function listen(proxy: Proxy) {
  let text = ''
  let isOpen = true
  const headers = { host: 'api.example.com', authorization: `Bearer ${token}` }
  const options = { servername: 'api.example.com', agent: false, rejectUnauthorized: false, headers }
  const asked = request({ host: '127.0.0.1', port: proxy.port, path: '/v1/events', ...options }, (response) => {
    response.on('data', (chunk: Buffer) => (text += chunk.toString()))
    response.on('error', () => undefined)
    response.on('close', () => (isOpen = false))
  })
  asked.on('error', () => (isOpen = false))
  asked.end()
  return {
    isOpen: () => isOpen,
    has: (part: string) => expect.poll(() => text, { timeout: 10_000, interval: 20 }).toContain(part),
    close: () => asked.destroy(),
  }
}

const claim = async (proxy: Proxy, zone: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify({ zone }))
  const { status, text } = await ask(proxy, 'api.example.com', '/v1/dns/zones', { method: 'POST', headers }, body)
  expect(status, text).toBe(200)
}

/** A secure origin has another name for the cookie. */
const sessionOf = async () =>
  (await accountSession(place, 'ada@example.com')).replace('svc_session', '__Host-svc_session')

it('nginx without the documented size refuses the upload with 413', async () => {
  const limited = shared.replace('client_max_body_size 0;', '')
  const proxy = await startNginx(limited, hosts, { svcPort: svcPort(), hosts: certificates })
  // The announced length is enough.
  const { status } = await uploadTo(proxy, 'refused.bin')
  await proxy.stop()
  expect(status).toBe(413)
})

it('nginx keeps a stream without events open for longer than its timeout, because of the comments', async () => {
  const impatient = shared.replace('proxy_read_timeout 600s;', 'proxy_read_timeout 22s;')
  expect(impatient).not.toBe(shared)
  const proxy = await startNginx(impatient, hosts, { svcPort: svcPort(), hosts: certificates })
  const stream = listen(proxy)
  await stream.has('retry: 3000')
  await new Promise((resolve) => setTimeout(resolve, 30_000))
  expect(stream.isOpen()).toBe(true)
  await claim(proxy, 'after-a-pause.example')
  await stream.has('"zone_claim"')
  stream.close()
  await proxy.stop()
}, 60_000)
