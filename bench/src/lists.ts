import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { apiClient } from './api-client.js'
import { storeCredentials } from './credentials.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, printInfo } from './measure.js'
import { addAccount, startSvc, type Program } from './programs.js'
import { serverMilliseconds } from './server-log.js'

const [credentials, domains] = [1_000, 10_000]
const requests = 50

/** A list of credentials, which the server decrypts. */
export async function benchCredentials(folder: string): Promise<void> {
  const data = join(folder, 'credentials')
  const token = await addAccount(data)
  const svc = await startSvc(data)
  await storeCredentials(svc, token, credentials)
  const list = { what: '1,000 credentials listed and opened', operation: 'cred.list', path: '/v1/cred', below: 60 }
  await measureList(data, svc, token, { ...list, entries: credentials })
}

/** A list of a large portfolio, sorted by expiry. */
export async function benchDomains(folder: string): Promise<void> {
  const data = join(folder, 'domains')
  const token = await addAccount(data)
  fillDomains(join(data, 'svc.db'))
  const svc = await startSvc(data)
  const list = { what: '10,000 domains listed in order', operation: 'domains.list', path: '/v1/domains', below: 30 }
  await measureList(data, svc, token, { ...list, entries: domains })
}

interface List {
  /** What the rows of the report call it. */
  readonly what: string
  readonly operation: string
  readonly path: string
  readonly entries: number
  /** The limit, in milliseconds. */
  readonly below: number
}

/** Requests the list many times, then stops the server. */
async function measureList(data: string, svc: Program, token: string, list: List): Promise<void> {
  const api = apiClient(svc.url, { authorization: `Bearer ${token}` })
  const cpu = new CpuTime(svc.pid)
  for (let n = 0; n < requests; n++)
    await cpu.measure(async () => {
      const { status, text } = await api.send('GET', list.path)
      const listed = text.split('"id":').length - 1
      if (status !== 200 || listed !== list.entries) throw new Error(`${list.path} lists ${String(listed)}: ${text}`)
      return listed
    })
  api.close()
  await svc.stop()
  printInfo(`CPU of ${list.what}`, `${(cpu.meanSeconds * 1000).toFixed(1)} ms`)
  checkLimit(list.what, await serverMilliseconds(data, svc, list.operation), { below: list.below }, ' ms')
}

/** Adding and refreshing them would take minutes. Every tenth has no known expiry. */
function fillDomains(database: string): void {
  const registration = {
    registrar: 'Example Registrar, Inc.',
    registered_at: '1995-08-14T04:00:00.000Z',
    expires_at: '2027-08-13T04:00:00.000Z',
    nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
    statuses: ['client transfer prohibited'],
    synced_at: '2026-11-20T09:30:00.000Z',
  }
  const handle = new BetterSqlite(database)
  handle
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      insert into domain (account_id, name, tld, note, registrar, expires_at, synced_at, registration, due_at, failures, revision, changed_at)
        select 1, 'domain' || i || '.example', 'example', '', 'Example Registrar, Inc.',
          case when i % 10 > 0 then 1795167000000 + (i * 7919 % 10000) * 86400000 end, 1795167000000, ?, 9007199254740991, 0, 0, 0 from n`,
    )
    .run(domains, JSON.stringify(registration))
  handle.close()
}
