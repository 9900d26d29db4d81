import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aboutRun } from './about.js'
import { finish, startTable } from './measure.js'

type Bench = (folder: string) => Promise<void>

/**
 * Runs all benches, or the named ones: `npm run bench -- writes idle`. The modules of the others are not imported. The output is
 * Markdown, for docs/performance.md.
 */
const benches: Record<string, () => Promise<Bench>> = {
  idle: async () => (await import('./idle.js')).benchIdle,
  requests: async () => (await import('./requests.js')).benchRequests,
  postgres: async () => (await import('./postgres.js')).benchPostgres,
  writes: async () => (await import('./writes.js')).benchWrites,
  zones: async () => (await import('./zones.js')).benchZones,
  nameserver: async () => (await import('./nameserver.js')).benchNameserver,
  records: async () => (await import('./records.js')).benchRecords,
  uploads: async () => (await import('./uploads.js')).benchUploads,
  packages: async () => (await import('./packages.js')).benchPackages,
  downloads: async () => (await import('./downloads.js')).benchDownloads,
  'short-links': async () => (await import('./short-links.js')).benchShortLinks,
  sites: async () => (await import('./sites.js')).benchSites,
  credentials: async () => (await import('./lists.js')).benchCredentials,
  sms: async () => (await import('./sms.js')).benchSms,
  whois: async () => (await import('./whois.js')).benchWhois,
  'lists-sqlite': async () => (await import('./every-list.js')).benchListsOnSqlite,
  'lists-postgres': async () => (await import('./every-list.js')).benchListsOnPostgres,
  domains: async () => (await import('./lists.js')).benchDomains,
  tls: async () => (await import('./tls.js')).benchTls,
  'tls-sites': async () => (await import('./tls-sites.js')).benchTlsSites,
  deploys: async () => (await import('./deploys.js')).benchDeploys,
}

const named = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
for (const [name, bench] of Object.entries(benches)) {
  if (named.length > 0 && !named.includes(name)) continue
  startTable(name, aboutRun(name))
  const run = await bench()
  await run(folder)
}
await rm(folder, { recursive: true })
finish()
