import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDomains, type Domains } from '../domain-site.js'
import { readToEnd } from '../raw-http.js'
import { testAuthority, type TestAuthority } from '../test-authority.js'
import { tlsClient, type TlsClient } from '../tls-client.js'

/** The host of a request over TLS decides who answers it: a site, the content host or the API. */

const apiHost = 'api.example'
const origin = `https://${apiHost}`

let authority: TestAuthority
let folder: string
let domains: Domains
let client: TlsClient
beforeAll(async () => {
  authority = testAuthority()
  folder = await mkdtemp(join(tmpdir(), 'svc-tls-hosts-'))
  const { chain, key } = authority.issue([apiHost, 'sites.example', '*.sites.example', 'www.ada.com'])
  await writeFile(join(folder, 'server.pem'), chain + key)
  domains = await startDomains('sqlite', {
    publicUrl: origin,
    tls: { port: 0, publicUrl: origin, redirectPort: 0, files: { certificates: folder, keys: folder } },
  })
  client = tlsClient(await listen(domains.zones.site.app.tls?.server), authority.ca)
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
