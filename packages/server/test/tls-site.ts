import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../src/config/config.js'
import { startSite, type Site } from './site.js'
import { testAuthority, type TestAuthority } from './test-authority.js'
import { tlsClient, type TlsClient } from './tls-client.js'

/** A server that ends TLS itself: the API at api.example, sites below sites.example. */
export interface TlsSite extends TlsClient {
  readonly site: Site
  readonly authority: TestAuthority
  readonly port: number
  /** Of the redirects. */
  readonly httpPort: number
  readonly origin: string
  /** Stores a certificate for these names as the one of the API. */
  readonly renew: (names: readonly string[]) => Promise<void>
  readonly stop: () => Promise<void>
}

export const apiHost = 'api.example'
const names = [apiHost, 'sites.example', '*.sites.example']

export async function startTlsSite(overrides: Partial<Config> = {}): Promise<TlsSite> {
  const authority = testAuthority()
  const folder = await mkdtemp(join(tmpdir(), 'svc-tls-'))
  const renew = async (renewed: readonly string[]) => {
    const { chain, key } = authority.issue(renewed)
    await writeFile(join(folder, 'api.pem'), chain + key)
  }
  await renew(names)
  const origin = `https://${apiHost}`
  const site = await startSite('sqlite', {
    publicUrl: origin,
    sitesDomain: 'sites.example',
    tls: { port: 0, publicUrl: origin, redirectPort: 0, files: { certificates: folder, keys: folder } },
    ...overrides,
  })
  const { tls } = site.app
  if (tls?.redirects === undefined) throw new Error('no TLS')
  const [port, httpPort] = [await listen(tls.server), await listen(tls.redirects)]
  return {
    site,
    authority,
    port,
    httpPort,
    origin,
    renew,
    ...tlsClient(port, authority.ca),
    stop: async () => {
      await site.stop()
      authority.remove()
      await rm(folder, { recursive: true })
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
