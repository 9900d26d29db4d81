import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openSqliteDatabase } from '../db/sqlite/sqlite.js'
import { nameserverWarning } from './nameserver-warning.js'
import { refuseSharedPorts, shownAddresses } from './ports.js'
import { warnOfSecondServer } from './second-server.js'

const embedded = { kind: 'embedded' } as const
const powerdns = { kind: 'powerdns', url: '', key: '' } as const

it.each([
  [{ metrics: { host: '127.0.0.1', port: 8080 } }, 'SVC_PORT and SVC_METRICS_PORT both ask for TCP port 8080'],
  [{ metrics: { host: '0.0.0.0', port: 8080 } }, 'SVC_PORT and SVC_METRICS_PORT both ask for TCP port 8080'],
  [{ host: 'localhost', metrics: { host: '127.0.0.1', port: 8080 } }, 'SVC_PORT and SVC_METRICS_PORT'],
  [{ dns: { host: ['::1', '127.0.0.1'], port: 8080, provider: embedded } }, 'SVC_PORT and SVC_DNS_PORT'],
  [{ host: '::', dns: { host: ['::1'], port: 8080, provider: embedded } }, 'SVC_PORT and SVC_DNS_PORT'],
  [{ metrics: { host: '127.0.0.1', port: 5300 } }, 'SVC_METRICS_PORT and SVC_DNS_PORT'],
  [{ tls: { port: 8080, redirectPort: 80 } }, 'SVC_PORT and SVC_TLS_PORT both ask for TCP port 8080'],
  [{ tls: { port: 443, redirectPort: 8080 } }, 'SVC_PORT and SVC_HTTP_PORT both ask for TCP port 8080'],
  [{ tls: { port: 443, redirectPort: 443 } }, 'SVC_TLS_PORT and SVC_HTTP_PORT both ask for TCP port 443'],
  [{ tls: { port: 443, redirectPort: undefined } }, undefined],
  [{ metrics: { host: '127.0.0.2', port: 8080 } }, undefined],
  [{ metrics: { host: '127.0.0.1', port: 9464 } }, undefined],
  [{ port: 0, dns: { host: ['127.0.0.1'], port: 0, provider: embedded } }, undefined],
  [{ port: 5300, dns: { host: ['127.0.0.1'], port: 5300, provider: powerdns } }, undefined],
  [{ dns: { host: ['127.0.0.1'], port: 0, updatePort: 8080, provider: powerdns } }, 'SVC_PORT and SVC_DNS_UPDATE_PORT'],
] as const)('refuses two settings for one port, and no others: %j', (settings, refused) => {
  const config = {
    host: '127.0.0.1',
    port: 8080,
    metrics: undefined,
    dns: { host: ['127.0.0.1', '::1'], port: 5300, provider: embedded },
    ...settings,
  }
  const check = () => refuseSharedPorts(config)
  if (refused === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(refused)
})

it.each([
  [
    ['ns1.localhost', 'ns2.localhost'],
    /^SVC_NAMESERVERS is ns1\.localhost,ns2\.localhost, which the public DNS cannot have/,
  ],
  [['ns1.example.net', 'ns2.office.local'], /^SVC_NAMESERVERS is .*, which the public DNS cannot have/],
  [['ns1.example.net'], /^SVC_NAMESERVERS has only one name, ns1\.example\.net: .*RFC 2182/],
  [['ns1.example.net', 'ns2.example.net'], undefined],
])('warns about the nameservers %j if they do not suit', (nameservers, warning) => {
  if (warning === undefined) expect(nameserverWarning({ nameservers })).toBeUndefined()
  else expect(nameserverWarning({ nameservers })).toMatch(warning)
})

it('the line "listening" has the addresses of the nameserver', () => {
  const addresses = [
    { host: '127.0.0.1', port: 5300 },
    { host: '::1', port: 5300 },
  ]
  expect(shownAddresses(addresses)).toBe('127.0.0.1:5300, [::1]:5300')
})

it('a second server on one SQLite database is warned with the process of the first, and a restart is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-second-'))
  const config = { kind: 'sqlite', file: join(folder, 'svc.db') } as const
  const servers = [await openSqliteDatabase(config.file), await openSqliteDatabase(config.file)] as const
  const log = { warn: vi.fn() }
  const releaseFirst = warnOfSecondServer(config, servers[0], log)
  await vi.waitFor(() => expect(log.warn).not.toHaveBeenCalled())
  // Until the first holds the lock.
  await expect.poll(() => servers[0].withJobLock('x', async () => 'free', 1_000)).toBe('free')
  await new Promise((resolve) => setTimeout(resolve, 50))
  warnOfSecondServer(config, servers[1], log, 20)
  await vi.waitFor(() =>
    expect(log.warn).toHaveBeenCalledWith(
      expect.stringMatching(
        new RegExp(`^another svc serve, process ${String(process.pid)} on .* uses the same database`),
      ),
    ),
  )
  const releaseSecond = warnOfSecondServer(config, servers[1], log, 5_000)
  releaseFirst()
  const isHeld = () => servers[0].withJobLock('server', () => Promise.resolve(false), 1).catch(() => true)
  await vi.waitFor(async () => expect(await isHeld()).toBe(true))
  expect(log.warn).toHaveBeenCalledTimes(1)
  releaseSecond()
  for (const server of servers) await server.close()
  await rm(folder, { recursive: true })
})
