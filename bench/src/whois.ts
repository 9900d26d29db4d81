import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { addAccount, startBareServer, startSvc } from './programs.js'
import { checkCpu, measureSides, printCpu, requestSide } from './request-side.js'

/** Registration data from the cache, against a bare node:http server. */
export async function benchWhois(folder: string): Promise<void> {
  const data = join(folder, 'whois')
  const token = await addAccount(data)
  fillCache(join(data, 'svc.db'))
  const bare = await startBareServer(join(folder, 'whois-bare.log'))
  const svc = await startSvc(data, ['--metrics-port', '9464'])
  const sides = {
    bare: requestSide('node:http', bare, '/'),
    whois: requestSide('svc', svc, '/v1/whois?domain=example.com', { token }),
    me: requestSide('svc', svc, '/v1/account/me', { token }),
  }
  await measureSides(7, Object.values(sides))
  await Promise.all([bare.stop(), svc.stop()])

  printCpu('`GET /v1/account/me`', sides.me)
  checkCpu('`GET /v1/whois` from the cache', sides.whois, sides.bare, 4)
}

/** As a look-up would do, which needs a network. */
function fillCache(database: string): void {
  const now = Date.now()
  const registration = {
    domain: 'example.com',
    registrar: 'Example Registrar, Inc.',
    dnssec: true,
    source: 'rdap',
    raw: null,
    createdAt: 808372800000,
    updatedAt: now,
    expiresAt: now + 86_400_000_000,
    nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
    statuses: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  }
  const handle = new BetterSqlite(database)
  handle
    .prepare(
      `insert into registration (domain, data, fetched_at, fresh_until, claimed_until, remove_after) values (?, ?, ?, ?, 0, ?)`,
    )
    .run('example.com', JSON.stringify(registration), now, now + 86_400_000, now + 90_000_000)
  handle.close()
}
