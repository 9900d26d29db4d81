import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportAccount } from '../../packages/server/src/commands/account-export.js'
import { importAccount } from '../../packages/server/src/commands/account-import.js'
import type { RowValues } from '../../packages/server/src/commands/account-transfer/row-values.js'
import { reserveZone } from '../../packages/server/src/commands/dns.js'
import { readConfig, type Config } from '../../packages/server/src/config/config.js'
import { startApp, type TestApp } from '../../packages/server/test/app.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { forgeArchive, type Forge } from '../../packages/server/test/forged-archive.js'
import { runSql } from '../../packages/server/test/site.js'
import { freshPostgres } from '../../test/servers/index.js'

/** Archives of `svc account import` from strangers, and rows that no request could have stored. */

let folder: string
let source: Config
const mallory = 'mallory@example.com'
const ofMallory = 'mallory.svc'
let files = 0

const onSqlite = (name: string): Config => readConfig({ env: { SVC_DATA: join(folder, name), SVC_DNS_PORT: '0' } })
const portsOf = ({ database, blobs, vault }: Config) => ({ database, blobs, vault })
const importFile = (config: Config, file: string, email?: string) =>
  importAccount(config, { file, email, readKey: () => Promise.resolve(undefined) })

/** @returns the file of a copy of the account with other rows */
async function forged(forge: Forge): Promise<string> {
  const copy = join(folder, `forged-${String(++files)}.svc`)
  await forgeArchive(join(folder, ofMallory), copy, forge)
  return copy
}

/** Adds a row to a table, or changes its rows. */
const adding =
  (to: string, added: RowValues): Forge =>
  (table, row) =>
    row !== undefined ? [row] : table === to ? [added] : []
const changing =
  (to: string, changes: RowValues): Forge =>
  (table, row) =>
    row === undefined ? [] : [table === to ? { ...row, ...changes } : row]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-strangers-'))
  source = onSqlite('source')
  const server = await startApp('sqlite', portsOf(source))
  const token = await server.token(await server.account(mallory), '*')
  const call = async (path: string, body: unknown) =>
    expect((await server.call('POST', path, { token, body })).status).toBe(200)
  await call('/v1/dns/zones', { zone: 'mallory.com' })
  await call('/v1/dns/zones/mallory.com/records', { type: 'A', host: 'www', value: '192.0.2.66' })
  await call('/v1/files/upload', { name: 'a', content: 'aGVsbG8=' })
  await call('/v1/packages/publish', { slug: 'p', version: '1.0.0', artifacts: [{ name: 'a', content: 'aGVsbG8=' }] })
  await server.stop()
  const showKey = () => Promise.resolve()
  await exportAccount(source, { email: mallory, file: join(folder, ofMallory), showKey, onProgress: () => undefined })
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(['sqlite', 'postgres'] as const)('on %s, an archive proves nothing:', (kind) => {
  let target: Config
  let server: TestApp
  beforeAll(async () => {
    target = {
      ...onSqlite(`target-${kind}`),
      publicUrl: 'https://api.operator.example',
      sitesDomain: 'sites.operator.example',
    }
    if (kind === 'postgres') target = { ...target, database: { kind, url: await freshPostgres() } }
    server = await startApp('sqlite', {
      ...portsOf(target),
      publicUrl: target.publicUrl,
      sitesDomain: target.sitesDomain,
    })
    const token = await server.token(await server.account('victim@example.com'), '*')
    for (const zone of ['victim.com', 'taken.com'])
      expect((await server.call('POST', '/v1/dns/zones', { token, body: { zone } })).status).toBe(200)
    await reserveZone(target.database, 'reserved.com')
  })
  afterAll(() => server.stop())

  const claimOf = (zone: string, claim: RowValues): Forge => {
    const id = 900
    const zones = {
      id,
      name: zone,
      serial: 1,
      version: 1,
      last_record_id: 1,
      holder_id: 1,
      content_bytes: 0,
      history_end: 0,
      deleted_at: null,
    }
    const record = {
      zone_id: id,
      id: 1,
      account_id: 1,
      type: 'A',
      host: 'ns1',
      value: '192.0.2.66',
      ttl: 60,
      priority: null,
    }
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
    const added: Record<string, RowValues> = {
      dns_claim: {
        id,
        account_id: 1,
        zone,
        txt_value: null,
        created_at: 1,
        status: 'verified',
        method: 'txt',
        ...claim,
      },
      dns_zone: zones,
      dns_record: { ...record, ...times },
    }
    return (table, row) => {
      if (row !== undefined) return table === 'dns_zone' || table === 'dns_claim' || table === 'dns_record' ? [] : [row]
      return added[table] === undefined ? [] : [added[table]]
    }
  }
  const claimed = async (zone: string, claim: RowValues = {}) => {
    const email = `stranger${String(files)}-${kind}@example.com`
    const done = await importFile(target, await forged(claimOf(zone, claim)), email)
    const rows = await runSql(
      target.database,
      `select status, method, txt_value from dns_claim join account on account.id = account_id where email = '${email}'`,
    )
    return { ...done, claim: rows[0] as { status: string; method: string; txt_value: string | null } }
  }

  it.each(['operator.example', 'reserved.com', 'victim.com'])('a verified claim on %s is pending', async (zone) => {
    const { claim, zones, changes } = await claimed(zone)
    expect(claim).toMatchObject({ status: 'pending', method: 'txt', txt_value: expect.stringMatching(/^[\w-]{32}$/) })
    expect(zones).toEqual([])
    expect(changes.join('\n')).toContain(`_svcdns-verify.${zone} with the value ${String(claim.txt_value)}`)
    const { answers } = await ask(server.dnsPort, `ns1.${zone}`, 'A')
    expect(answers).toEqual([])
  })

  it.each([
    { method: 'ns', txt_value: null },
    { method: 'txt', txt_value: 'x'.repeat(32) },
  ])('a pending claim loses its proof: $method', async (proof) => {
    const { claim } = await claimed('taken.com', { status: 'pending', ...proof })
    expect(claim).toMatchObject({ status: 'pending', method: 'txt' })
    expect(claim.txt_value).not.toBe(proof.txt_value)
  })

  it('a claim that would be instant today is verified at once, whatever the file says of it', async () => {
    const free = `free-${kind}.com`
    const { claim, zones } = await claimed(free, { status: 'pending', method: 'ns' })
    expect(claim).toMatchObject({ status: 'verified', method: 'auto', txt_value: null })
    expect(zones).toEqual([free])
  })

  it('an address of a package that its account has deleted stays taken', async () => {
    await runSql(target.database, `update package set slug = 'q' where slug = 'p'`)
    await runSql(target.database, `insert into package_slug_retired (slug) values ('p')`)
    const { changes } = await importFile(target, join(folder, ofMallory), `retired-${kind}@example.com`)
    expect(changes.join('\n')).toMatch(/The package p is renamed to p-\d+: its name is taken here\./)
  })
})

describe('an archive with a row that no request could have stored is refused, and nothing is imported:', () => {
  const zone = {
    id: 900,
    serial: 1,
    version: 1,
    last_record_id: 0,
    holder_id: 1,
    content_bytes: 0,
    history_end: 0,
    deleted_at: null,
  }
  const costly = '$argon2id$v=19$m=524288,t=30,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const rules = (name: string) =>
    JSON.stringify({ headers: [{ path: { parts: ['/'] }, changes: [{ name, value: 'a\r\nb: c' }] }], redirects: [] })
  it.each<[string, Forge, string]>([
    [
      'a zone that is no name',
      adding('dns_zone', { ...zone, name: '..bad..zone' }),
      'dns_zone 900: zone must be an apex',
    ],
    ['a zone that is a public suffix', adding('dns_zone', { ...zone, name: 'co.uk' }), 'zone must be an apex'],
    ['a claim on a subdomain', changing('dns_claim', { zone: 'www.mallory.com' }), 'the apex domain mallory.com'],
    ['a costly password hash', changing('account', { password_hash: costly }), 'account 1: password_hash must be'],
    ['an email in capitals', changing('account', { email: 'Ada@example.com' }), 'email must be in lower case'],
    ['a record outside its zone', changing('dns_record', { host: 'a..b' }), 'dns_record zone_id 1 id 1 host'],
    ['a record of an unknown type', changing('dns_record', { type: 'NSEC' }), 'type must be one of'],
    ['a record of another form', changing('dns_record', { value: '192.0.2.066' }), 'dns_record zone_id 1 id 1 host'],
    ['a ttl beyond the limit', changing('dns_record', { ttl: 1 }), 'ttl must be a whole number'],
    ['a scope that does not exist', changing('token', { scopes: 'root' }), 'token 1: scopes[0] must be one of'],
    [
      'a name of a file with a path',
      changing('file', { name: '../etc/passwd' }),
      'file 1: name must not contain slashes',
    ],
    ['a media type with a line break', changing('file', { media_type: 'a/b\r\nc: d' }), 'file 1: media_type'],
    ['a size that its bytes do not have', changing('file', { size: 1 }), 'larger than the file'],
    ['an object that is smaller', changing('package_artifact', { size: 1e9 }), 'does not fit its object'],
    ['a slug with a slash', changing('package', { slug: 'a/b' }), 'package 1'],
    ['a version that is none', changing('package_version', { version: 'latest' }), 'package_version 1: version'],
    ['a fraction as a count', changing('package', { downloads: -1 }), 'downloads must be an integer'],
    [
      'rules of a site with a header that ends the line',
      adding('site_version', {
        id: 1,
        account_id: 1,
        site_id: 1,
        files: 0,
        size: 0,
        deployed_at: 1,
        created_at: 1,
        rules: rules('link'),
      }),
      'site_version 1',
    ],
    [
      'a domain of a site in another zone',
      adding('site_domain', {
        host: 'www.victim.com',
        site_id: 1,
        account_id: 1,
        zone: 'mallory.com',
        records: '[]',
        created_at: 1,
      }),
      'zone must be victim.com',
    ],
    [
      'a registration that is no JSON',
      adding('domain', {
        id: 1,
        account_id: 1,
        name: 'a.com',
        tld: 'com',
        note: '',
        registrar: null,
        expires_at: null,
        synced_at: null,
        registration: '{"x":1',
        due_at: 1,
        failures: 0,
        revision: 0,
        changed_at: 1,
      }),
      'registration is not JSON',
    ],
  ])('refuses an archive with %s, and imports nothing', async (_, forge, problem) => {
    const config = onSqlite(`refused-${String(files)}`)
    await expect(importFile(config, await forged(forge))).rejects.toThrow(problem)
    expect(await runSql(config.database, 'select count(*) as n from account')).toEqual([{ n: 0 }])
  })

  it('refuses an archive with records that exclude each other, and imports nothing', async () => {
    const config = onSqlite('conflict')
    const file = await forged((table, row) => {
      if (row === undefined) return []
      return table === 'dns_record' ? [row, { ...row, id: 2, type: 'CNAME', value: 'a.example.net' }] : [row]
    })
    await expect(importFile(config, file)).rejects.toThrow('www already has records (A)')
  })
})

describe.each(['sqlite', 'postgres'] as const)('bad rows in the database on %s', (kind) => {
  it('bad rows never stop the start: the rest is served, and a costly hash is not verified', async () => {
    const base = onSqlite(`bad-${kind}`)
    const config: Config = kind === 'sqlite' ? base : { ...base, database: { kind, url: await freshPostgres() } }
    const first = await startApp('sqlite', portsOf(config))
    const token = await first.token(await first.account('ada@example.com'), '*')
    const call = (server: TestApp, path: string, body: unknown) => server.call('POST', path, { token, body })
    for (const zone of ['good.com', 'bad.com']) {
      expect((await call(first, '/v1/dns/zones', { zone })).status).toBe(200)
      const record = { type: 'A', host: 'www', value: '192.0.2.1' }
      expect((await call(first, `/v1/dns/zones/${zone}/records`, record)).status).toBe(200)
    }
    await first.stop()
    await runSql(config.database, `update dns_zone set name = '..bad..zone' where name = 'bad.com'`)
    await runSql(config.database, `update dns_record set value = 'no address' where zone_id = 2`)
    await runSql(
      config.database,
      `insert into dns_record (zone_id, id, account_id, type, host, value, ttl, priority, created_at, updated_at)
        select zone_id, 2, account_id, 'A', 'a..b', 'no address', ttl, priority, created_at, updated_at
        from dns_record where zone_id = 1`,
    )
    await runSql(
      config.database,
      `update account set password_hash = '$argon2id$v=19$m=524288,t=30,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAA'`,
    )
    const again = await startApp('sqlite', portsOf(config))
    try {
      const { answers } = await ask(again.dnsPort, 'www.good.com', 'A')
      expect(answers.map(({ value }) => value)).toEqual(['192.0.2.1'])
      const before = process.resourceUsage().maxRSS
      const started = performance.now()
      const body = { email: 'ada@example.com', password: 'correct horse battery staple' }
      const answer = await again.call('POST', '/console/api/session/sign-in', { body, headers: { origin: again.url } })
      expect(answer.status).toBe(401)
      expect(performance.now() - started).toBeLessThan(5_000)
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000)
      // A change of another process is served too, without the bad record.
      await runSql(config.database, `update dns_record set value = '192.0.2.9' where zone_id = 1 and id = 1`)
      await runSql(config.database, `update dns_zone set serial = serial + 1, version = version + 1000000 where id = 1`)
      if (kind === 'sqlite')
        await expect
          .poll(async () => (await ask(again.dnsPort, 'www.good.com', 'A')).answers.map(({ value }) => value))
          .toEqual(['192.0.2.9'])
    } finally {
      await again.stop()
    }
  })
})
