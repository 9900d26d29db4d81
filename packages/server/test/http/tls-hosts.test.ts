import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { importCertificate } from '../../src/commands/tls-import.js'
import { closedServer, testVault } from '../app.js'
import { startDomains, type Domains } from '../domain-site.js'
import { readToEnd, send } from '../raw-http.js'
import { deploySite, getPage, type SiteFiles } from '../site-host.js'
import { testAuthority, type TestAuthority } from '../test-authority.js'
import { tlsClient, type TlsClient } from '../tls-client.js'

/** The host of a request over TLS decides who answers it: a site, the content host or the API. */

const apiHost = 'api.example'
const origin = `https://${apiHost}`

let authority: TestAuthority
let folder: string
let domains: Domains
let client: TlsClient
let redirectUrl: string
beforeAll(async () => {
  authority = testAuthority()
  folder = await mkdtemp(join(tmpdir(), 'svc-tls-hosts-'))
  const { chain, key } = authority.issue([apiHost, 'sites.example', '*.sites.example', 'www.ada.com', 'other.example'])
  await writeFile(join(folder, 'server.pem'), chain + key)
  domains = await startDomains('sqlite', {
    publicUrl: origin,
    acme: { directoryUrl: `http://${closedServer}`, email: undefined, profile: undefined, externalAccount: undefined },
    tls: { port: 0, publicUrl: origin, redirectPort: 0, files: { certificates: folder, keys: folder } },
  })
  client = tlsClient(await listen(domains.zones.site.app.tls?.server), authority.ca)
  redirectUrl = `http://127.0.0.1:${String(await listen(domains.zones.site.app.tls?.redirects))}`
  await domains.zones.claim('ada', 'ada.com')
  await domains.deploy('ada', 'docs')
  await domains.add('ada', 'docs', 'www.ada.com')
})
afterAll(async () => {
  await domains.zones.stop()
  authority.remove()
  await rm(folder, { recursive: true })
})

async function listen(server: Server | undefined): Promise<number> {
  if (server === undefined) throw new Error('no TLS')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The status and the last line of the answer. */
async function ask(socket: TLSSocket, host: string, path = '/'): Promise<string> {
  const answer = readToEnd(socket)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const text = await answer
  return `${/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'none'} ${text.slice(text.lastIndexOf('\n') + 1)}`
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('on a resumed connection of %s', (version) => {
  const page = /^200 page of docs$/
  const misdirected = /^421 /
  it.each([
    ['docs.sites.example', 'docs.sites.example', page],
    ['www.ada.com', 'www.ada.com', page],
    [apiHost, apiHost, /^200 \{"success":true/],
    ['docs.sites.example', apiHost, misdirected],
    ['www.ada.com', apiHost, misdirected],
    ['www.ada.com', 'docs.sites.example', misdirected],
    [apiHost, 'docs.sites.example', misdirected],
    ['nothing.sites.example', 'nothing.sites.example', /^404 /],
  ])('for %s, a request to %s is answered %s', async (name, host, expected) => {
    const path = host === apiHost ? '/v1/public/ip' : '/'
    expect(await ask(await client.resume(name, version), host, path)).toMatch(expected)
  })
})

describe('a site with an answer at the path of http-01', () => {
  const path = '/.well-known/acme-challenge/token'
  const proof = 'token.thumbprint'
  const sites: readonly (readonly [string, SiteFiles])[] = [
    ['file', { [path.slice(1)]: proof }],
    ['redirect', { 'index.html': '', _redirects: '/.well-known/acme-challenge/* https://other.example/:splat 307!' }],
    ['rewrite', { 'proof.txt': proof, _redirects: '/.well-known/* /proof.txt 200!' }],
    ['page', { '200.html': proof }],
    ['missing', { '404.html': proof }],
  ]
  beforeAll(async () => {
    const { site, accounts } = domains.zones
    const token = await site.token(accounts.ada, 'sites:write')
    for (const [name, files] of [...sites, ['docs', { [path.slice(1)]: proof }] as const])
      await deploySite(site.url, token, name, files)
  })

  const atHttp = (host: string, target: string) => getPage(domains.zones.site.url, host, target)
  const redirected = (host: string, target = path) => send(redirectUrl, 'GET', target, { headers: { host } })

  it.each([...sites.map(([name]) => `${name}.sites.example`), 'content.sites.example'])(
    'at %s cannot prove the name to a CA: 404 over HTTP and TLS, and no redirect to https',
    async (host) => {
      for (const target of [path, path.replace('w', '%77'), `http://${host}${path}`]) {
        // The second answer may come from memory.
        const answers = [await atHttp(host, target), await atHttp(host, target), await client.get(host, target)]
        for (const { status, text } of answers) {
          expect(status).toBe(404)
          expect(text).not.toContain(proof)
        }
      }
      for (const target of [path, `http://${host}${path}`, '/.well-known/acme-challenge/']) {
        const { status, headers } = await redirected(host, target)
        expect([status, headers.location]).toEqual([404, undefined])
      }
    },
  )

  it('at an own domain can prove it: it belongs to the account', async () => {
    const host = 'www.ada.com'
    expect(await atHttp(host, path)).toMatchObject({ status: 200, text: proof })
    expect(await client.get(host, path)).toMatchObject({ status: 200, text: proof })
    expect((await redirected(host)).headers.location).toBe(`https://${host}${path}`)
  })
})

describe('a zone of an account with a wildcard certificate', () => {
  beforeAll(async () => {
    const { claim, site, tokens } = domains.zones
    await claim('ada', 'users.com')
    const body = { zone: 'users.com' }
    const ordered = await site.call('POST', '/v1/tls/certificates', { token: tokens.ada, body })
    expect(ordered.status, ordered.text).toBe(200)
    await domains.deploy('ada', 'shop')
    await domains.add('ada', 'shop', 'www.users.com')
    const { chain, key } = authority.issue(['users.com', '*.users.com'])
    // Certificates in the other folder are the operator's.
    const imported = await mkdtemp(join(tmpdir(), 'svc-tls-zone-'))
    const files = { certificate: join(imported, 'chain.pem'), key: join(imported, 'key.pem') }
    await writeFile(files.certificate, chain)
    await writeFile(files.key, key)
    await importCertificate({ database: site.database, vault: testVault }, files, 'users.com')
    await rm(imported, { recursive: true })
    await vi.waitFor(async () => (await client.open('x.users.com')).destroy(), { timeout: 20_000, interval: 50 })
  })

  it.each(['/', '/console', '/console/api/session', '/v1', '/v1/public/ip', '/healthz', '/openapi.json', '/sites/ask'])(
    'answers 404 at %s of a host without a site, not as the API or the console',
    async (path) => {
      for (const host of ['x.users.com', 'users.com'])
        expect(await client.get(host, path)).toMatchObject({
          status: 404,
          text: expect.stringMatching(/^There is no site at this address\./),
        })
    },
  )

  it('answers so on a resumed connection too', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expect(await ask(await client.resume('x.users.com', version), 'x.users.com', '/v1/public/ip')).toMatch(/^404 /)
  })

  it('takes no request with a token, also not one that changes data', async () => {
    const headers = { authorization: `Bearer ${domains.zones.tokens.ada}` }
    const answer = await client.get('x.users.com', '/v1/dns/zones', { method: 'POST', headers })
    expect(answer.status).toBe(405)
    expect(answer.text).not.toContain('success')
  })

  it('serves the sites at its hosts', async () => {
    expect(await client.get('www.users.com', '/')).toMatchObject({ status: 200, text: 'page of shop' })
  })

  it.each([apiHost, 'other.example'])('leaves the API at %s, which has a certificate of the operator', async (host) => {
    expect(await client.get(host, '/v1/public/ip')).toMatchObject({ status: 200 })
  })

  it('leaves plain HTTP, which may be behind a proxy, as it is', async () => {
    expect(await getPage(domains.zones.site.url, 'x.users.com', '/v1/public/ip')).toMatchObject({ status: 200 })
  })
})
