import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, Migrator, PostgresDialect, sql, SqliteDialect } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { databaseKinds } from '../../../test/app.js'
import { operatorActor } from '../../shared/actor.js'
import { claimStore } from '../../areas/dns/claims/store.js'
import { recordStore } from '../../areas/dns/records/store.js'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import { connect, type DatabaseConfig } from '../connect.js'
import type { Database } from '../port.js'
import { prepared } from '../prepared.js'
import { migrationNames, migrations } from './index.js'

/** Opens a database that an earlier version created and filled. */

describe.each(databaseKinds)('an upgrade on %s', (kind) => {
  let folder: string
  let config: DatabaseConfig
  let db: Database | undefined
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
    config = kind === 'sqlite' ? { kind, file: join(folder, 'svc.db') } : { kind, url: await freshPostgres() }
  })
  afterEach(async () => {
    await db?.close()
    await rm(folder, { recursive: true })
  })

  /** Creates the database as of a migration and runs statements that insert rows. */
  async function createEarlierDatabase(last: string, statements: readonly string[]): Promise<void> {
    const dialect =
      config.kind === 'sqlite'
        ? new SqliteDialect({ database: new BetterSqlite(config.file) })
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: config.url }) })
    const old = new Kysely<unknown>({ dialect })
    const migrator = new Migrator({ db: old, provider: { getMigrations: async () => migrations(kind) } })
    const { error } = await migrator.migrateTo(last)
    expect(error).toBeUndefined()
    for (const statement of statements) await sql.raw(statement).execute(old)
    await old.destroy()
  }

  const record = (zone: number, id: number, host: string, value: string) =>
    `insert into dns_record (zone_id, id, type, host, value, ttl, created_at, updated_at)
      values (${zone}, ${id}, 'TXT', '${host}', '${value}', 300, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`

  it.each([
    ['that a newer version has migrated further', `insert into kysely_migration values ('9999-later', '2030-01-01')`],
    ['of which only a newer version knows the tables', `update kysely_migration set name = '9999-later'`],
  ])('refuses a database %s', async (_, statement) => {
    await createEarlierDatabase('0001-foundation', [statement])
    await expect(connect(config, () => undefined)).rejects.toMatchObject({ unknown: ['9999-later'] })
  })

  it('starts on a database to which a newer version has only added, and keeps the additions', async () => {
    await (await connect(config, () => undefined)).close()
    await createEarlierDatabase(migrationNames.at(-1) ?? '', [
      'create table later (id integer)',
      'alter table account add column later integer default 7',
      `insert into account (email, nickname, password_hash, created_at) values ('ada@example.com', '', 'x', 1)`,
      `insert into kysely_migration values ('9999-later.additive', '2030-01-01')`,
    ])
    db = await connect(config, () => undefined)
    const query = prepared((query, _: object) => query.selectFrom('account').selectAll())
    expect(await db.one(query, {})).toMatchObject({ email: 'ada@example.com', later: 7 })
  })

  it('sets the holder of a zone to the account that has verified it, and of a released zone to null', async () => {
    await createEarlierDatabase('0002-dns', [
      `insert into account (email, nickname, password_hash, created_at) values ('ada@example.com', '', 'x', 1)`,
      `insert into account (email, nickname, password_hash, created_at) values ('bob@example.com', '', 'x', 1)`,
      `insert into dns_zone (name, serial, version, last_record_id) values ('held.example', 10, 1, 2)`,
      `insert into dns_zone (name, serial, version, last_record_id) values ('released.example', 20, 2, 1)`,
      `insert into dns_claim (account_id, zone, status, method, created_at)
        values (1, 'held.example', 'verified', 'auto', 1)`,
      `insert into dns_claim (account_id, zone, status, method, txt_value, created_at)
        values (2, 'held.example', 'pending', 'txt', 'v', 1)`,
      record(1, 1, '@', 'grüße'),
      record(1, 2, 'www', 'x'),
      record(2, 1, 'old', 'kept'),
    ])
    db = await connect(config, () => undefined)
    const [ada, bob] = [1, 2].map((id) => ({ id, email: '', limits: {}, actor: operatorActor('test') })) as never[]
    const claims = claimStore(db)
    const zones = zoneStore(db)
    const records = recordStore(db, { recordsMax: 10, zoneBytesMax: 1000 })
    const hosts = async (account: never, zone: string) =>
      (JSON.parse(String(await records.list(account, zone, null))) as { host: string }[]).map(({ host }) => host)
    const served = async (zone: string) => (await zones.contents(zone)).rrsets.map(({ name }) => name)

    const start: unknown[] = []
    for await (const { zone, holder, rrsets } of zones.all()) start.push([zone, holder, rrsets.length])
    expect(start).toEqual([
      ['held.example', 1, 2],
      ['released.example', null, 1],
    ])
    expect(await hosts(ada!, 'held.example')).toEqual(['@', 'www'])
    expect(await served('held.example')).toEqual(['held.example', 'www.held.example'])
    const kept = await rowsOf('select name, holder_id, content_bytes from dns_zone order by id')
    expect(kept).toEqual([
      { name: 'held.example', holder_id: 1, content_bytes: 7 + 1 + 1 + 3 },
      { name: 'released.example', holder_id: null, content_bytes: 4 + 3 },
    ])

    expect(await served('released.example')).toEqual(['old.released.example'])
    await claims.claim(bob!, 'released.example')
    expect(await hosts(bob!, 'released.example')).toEqual([])
    expect(await zones.contents('released.example')).toMatchObject({ serial: 21, holder: 2, rrsets: [] })
    expect(await rowsOf(`select content_bytes from dns_zone where name = 'released.example'`)).toEqual([
      { content_bytes: 0 },
    ])
  })

  it('finds the records of accounts that have lost the zone', async () => {
    const account = (email: string) =>
      `insert into account (email, nickname, password_hash, created_at) values ('${email}', '', 'x', 1)`
    const owned = (id: number, owner: number | null) =>
      `insert into dns_record (zone_id, id, account_id, type, host, value, ttl, created_at, updated_at)
        values (1, ${id}, ${owner}, 'TXT', 'x', 'x', 300, '', '')`
    await createEarlierDatabase('0017-deletions', [
      ...['ada@example.com', 'bob@example.com'].map(account),
      `insert into dns_zone (name, serial, version, last_record_id, holder_id) values ('x.example', 1, 1, 4, 1)`,
      ...[owned(1, 1), owned(2, 2), owned(3, 2), owned(4, null)],
    ])
    db = await connect(config, () => undefined)
    const rows = (await rowsOf('select account_id, zone_id from dns_former_holder')) as Record<string, unknown>[]
    expect(rows.map((row) => [Number(row['account_id']), Number(row['zone_id'])])).toEqual([[2, 1]])
  })

  it('keeps the slugs of the deployments that exist', async () => {
    await createEarlierDatabase('0019-days', [
      `insert into account (email, nickname, password_hash, created_at) values ('ada@example.com', '', 'x', 1)`,
      `insert into deployment (account_id, kind, slug, enabled, uses, kept, settings, created_at, updated_at)
        values (1, 'form', 'contact', 1, 0, 0, '{}', 1, 1)`,
    ])
    db = await connect(config, () => undefined)
    const rows = (await rowsOf('select kind, slug, account_id from deployment_slug')) as Record<string, unknown>[]
    expect(rows.map((row) => [row['kind'], row['slug'], Number(row['account_id'])])).toEqual([['form', 'contact', 1]])
  })

  it('notes since when deliveries fail that have been attempted before', async () => {
    const delivery = (id: number, state: string, attempts: number, error: string | null) =>
      `insert into webhook_delivery
        (deployment_id, request_id, account_id, host, state, due_at, attempts, last_error, updated_at)
        values (1, ${id}, 1, 'x', '${state}', null, ${attempts}, ${error === null ? 'null' : `'${error}'`}, ${id * 10})`
    await createEarlierDatabase('0027-webhook-pauses', [
      delivery(1, 'delivered', 1, null),
      delivery(2, 'failed', 8, 'x'),
      delivery(3, 'failed', 0, 'refused'),
    ])
    db = await connect(config, () => undefined)
    const rows = (await rowsOf('select failing_since, recorded from webhook_delivery order by request_id')) as {
      failing_since: string | number | null
      recorded: string | number
    }[]
    expect(rows.map((row) => [row.failing_since && Number(row.failing_since), Number(row.recorded)])).toEqual([
      [null, 0],
      [20, 0],
      [null, 0],
    ])
  })

  it('numbers the kept versions of each site in their order', async () => {
    const version = (site: number | null) =>
      `insert into site_version (account_id, site_id, files, size, rules, deployed_at, created_at)
        values (1, ${String(site)}, 0, 0, '', 1, 1)`
    const site = (name: string) =>
      `insert into site (account_id, name, version_id, files, size, created_at, deployed_at)
        values (1, '${name}', 1, 0, 0, 1, 1)`
    await createEarlierDatabase('0028-webhook-attempts', [
      `insert into account (email, nickname, password_hash, created_at) values ('ada@example.com', '', 'x', 1)`,
      site('docs'),
      site('blog'),
      ...[1, 2, null, 1, 1, 2].map(version),
    ])
    db = await connect(config, () => undefined)
    const rows = async (statement: string) =>
      (await rowsOf(statement)).map((row) => Object.values(row as object).map((value) => value && Number(value)))
    expect(await rows('select site_id, number from site_version order by id')).toEqual([
      ...[
        [1, 1],
        [2, 1],
        [null, null],
        [1, 2],
        [1, 3],
        [2, 2],
      ],
    ])
    expect(await rows('select last_version from site order by id')).toEqual([[3], [2]])
  })

  it('gives equal names of the tokens of an account a number; the oldest token keeps its name', async () => {
    const long = 'é'.repeat(64)
    const names = ['ci', 'ci (2)', 'ci', 'ci', long, long, 'alone']
    const token = (account: number, name: string, id: number) =>
      `insert into token (account_id, name, prefix, hash, scopes, created_at)
        values (${account}, '${name}', 'svc_', ${kind === 'sqlite' ? `x'0${id}'` : `'\\x0${id}'`}, 'dns:read', 1)`
    await createEarlierDatabase('0015-indexes', [
      `insert into account (email, nickname, password_hash, created_at) values ('ada@example.com', '', 'x', 1)`,
      `insert into account (email, nickname, password_hash, created_at) values ('bob@example.com', '', 'x', 1)`,
      ...names.map((name, index) => token(1, name, index)),
      token(2, 'ci', 8),
    ])
    db = await connect(config, () => undefined)
    const kept = (await rowsOf('select account_id, name from token order by id')) as Record<string, unknown>[]
    expect(kept.map((row) => [Number(row['account_id']), row['name']])).toEqual([
      ...['ci', 'ci (2)', 'ci (3)', 'ci (4)', long, `${'é'.repeat(60)} (2)`, 'alone'].map((name) => [1, name]),
      [2, 'ci'],
    ])
  })

  async function rowsOf(statement: string): Promise<unknown[]> {
    if (config.kind === 'sqlite') {
      const handle = new BetterSqlite(config.file, { readonly: true })
      try {
        return handle.prepare(statement).all()
      } finally {
        handle.close()
      }
    }
    const client = new pg.Client(config.url)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }
})
