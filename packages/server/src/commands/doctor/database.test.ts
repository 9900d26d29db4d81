import { copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { findingsOf, reported } from '../../../test/findings.js'
import { connect, inspectDatabase, type DatabaseConfig } from '../../db/connect.js'
import { schemaStateOf, type PostgresServer } from '../../db/inspected.js'
import { migrationNames } from '../../db/migrations/index.js'
import { prepared } from '../../db/prepared.js'
import { databaseCheck, openForDoctor, reportSchema, reportServer } from './database.js'

const anError = (error: Error) => {
  throw error
}

async function findingsFor(config: DatabaseConfig): Promise<string[]> {
  const opened = await openForDoctor(config)
  try {
    const url = config.kind === 'sqlite' ? `sqlite:${config.file}` : config.url
    return await findingsOf(databaseCheck(Promise.resolve(opened)), { SVC_DATABASE: url })
  } finally {
    if (opened.kind === 'open') await opened.database.close()
  }
}

describe('a SQLite file', () => {
  let folder: string
  let migrated: string
  let config: DatabaseConfig & { kind: 'sqlite' }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'))
    migrated = join(folder, 'migrated.db')
    await (await connect({ kind: 'sqlite', file: migrated }, anError)).close()
  })
  beforeEach(async () => {
    config = { kind: 'sqlite', file: join(await mkdtemp(join(folder, 'one-')), 'svc.db') }
    await copyFile(migrated, config.file)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each<[string, () => unknown, unknown[]]>([
    [
      'of this version, intact',
      () => undefined,
      [
        expect.stringMatching(/^ok .* has the tables of this version/),
        'ok The pages, indexes and foreign keys of the database are intact.',
      ],
    ],
    [
      'with rows that refer to missing ones',
      () => insertOrphan(config.file),
      [
        expect.stringMatching(/^ok/),
        expect.stringMatching(/^error Rows of the database refer to rows that do not exist/),
      ],
    ],
    [
      'with a damaged page',
      () => damagePage(config.file),
      [expect.stringMatching(/^ok/), 'error The database file is damaged.'],
    ],
    [
      'that is not one',
      () => writeFile(config.file, 'x'.repeat(10_000)),
      [expect.stringMatching(/^error The database .* is not a SQLite database, or is damaged: /)],
    ],
    ['that is missing', () => rm(config.file), [expect.stringMatching(/^error There is no database sqlite:/)]],
    [
      'that is a directory',
      () => (config = { ...config, file: folder }),
      [expect.stringMatching(/^error The database .* cannot be opened: EISDIR/)],
    ],
  ])('reports the state of a SQLite file %s', async (_, prepare, findings) => {
    await prepare()
    expect(await findingsFor(config)).toEqual(findings)
  })

  it('a SQLite file is not changed by its check', async () => {
    const before = await readFile(config.file)
    const db = await inspectDatabase(config, anError)
    const erase = prepared((query, _: object) => query.deleteFrom('installation').returning('id'))
    await expect(db.all(erase, {})).rejects.toThrow('readonly')
    await expect(db.eraseLog()).rejects.toThrow('reading only')
    await db.ping()
    await db.close()
    expect(before.equals(await readFile(config.file))).toBe(true)
  })
})

function insertOrphan(file: string): void {
  const handle = new BetterSqlite(file)
  handle.pragma('foreign_keys = off')
  handle.exec(
    `insert into dns_claim (account_id, zone, status, method, created_at) values (9, 'a.b', 'pending', 'txt', 0)`,
  )
  handle.close()
}

describe('the tables of a database', () => {
  const known = migrationNames
  it.each([
    [known, 'current'],
    [[...known, '9999-later'], 'newer'],
    [[...known.slice(1), '9999-later'], 'newer'],
    [[...known, '9998-table.additive'], 'current'],
    [[...known.slice(1), '9998-table.additive'], 'older'],
    [known.slice(1), 'older'],
    [[], 'empty'],
  ])('the tables of a database with the migrations %j are %s', (applied, state) => {
    expect(schemaStateOf(applied)).toBe(state)
  })

  it.each([
    ['newer', /^error The database x belongs to a newer version of svc: use that version\.$/],
    ['older', /^error The database x does not have the tables of this version of svc: start the server of this/],
    ['empty', /^error The database x has no tables of svc\.$/],
  ] as const)('reports tables that are %s', (state, finding) => {
    expect(reported((report) => reportSchema(state, 'x', report))).toEqual([expect.stringMatching(finding)])
  })
})

/** Overwrites the last page, which belongs to a table or an index. */
async function damagePage(file: string): Promise<void> {
  await using handle = await open(file, 'r+')
  const { size } = await handle.stat()
  await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, size - 4096)
}

describe('PostgreSQL', () => {
  let config: DatabaseConfig & { kind: 'postgres' }
  beforeAll(async () => {
    config = { kind: 'postgres', url: await freshPostgres() }
    await (await connect(config, anError)).close()
  })

  it('has the tables of this version, and answers', async () => {
    const findings = await findingsFor(config)
    expect(findings[0]).toMatch(/^ok The database postgres:\/\/.* has the tables of this version of svc\.$/)
    expect(findings[1]).toMatch(/^ok PostgreSQL \d.* answers\.$/)
    expect(findings.join()).not.toContain('error')
  })

  it('rejects every write', async () => {
    const db = await inspectDatabase(config, anError)
    const erase = prepared((query, _: object) => query.deleteFrom('installation'))
    await expect(db.all(erase, {})).rejects.toThrow('read-only transaction')
    await db.ping()
    await db.close()
  })

  it('reports a PostgreSQL database without tables', async () => {
    const findings = await findingsFor({ kind: 'postgres', url: await freshPostgres() })
    expect(findings[0]).toMatch(/^error The database .* has no tables of svc\.$/)
  })

  it.each([
    ['that refuses connections', 'postgres://ada:secret@127.0.0.1:9/svc', /refuses connections: is PostgreSQL running/],
  ])('reports a PostgreSQL %s', async (_, url, message) => {
    const findings = await findingsFor({ kind: 'postgres', url })
    expect(findings).toEqual([expect.stringMatching(message)])
    expect(findings.join()).not.toContain('secret')
  })

  const server: PostgresServer = {
    versionNumber: 150_004,
    version: '15.4',
    encoding: 'UTF8',
    connectionsMax: 97,
    connections: 20,
    fsync: 'on',
    fullPageWrites: 'on',
    synchronousCommit: 'on',
    isStandby: false,
    now: 0,
  }

  it.each<[Partial<PostgresServer>, string[]]>([
    [{}, []],
    [{ versionNumber: 120_018, version: '12.18' }, ['error PostgreSQL 12.18 is too old: svc needs 13 or newer.']],
    [{ encoding: 'SQL_ASCII' }, ['error The encoding of the database is SQL_ASCII, which cannot store all texts.']],
    [{ isStandby: true }, ['error PostgreSQL is a standby, which accepts no writes.']],
    [{ connections: 70 }, ['warning PostgreSQL has 27 of 97 connections free; a server opens up to 28.']],
    [
      { fsync: 'off', synchronousCommit: 'off' },
      [expect.stringMatching(/^warning PostgreSQL runs with fsync=off and synchronous_commit=off: changes that/)],
    ],
    [{ synchronousCommit: 'local' }, []],
  ])('reports the state of a PostgreSQL server with %j', (change, findings) => {
    const found = reported((report) => reportServer({ ...server, ...change }, report))
    expect(found.filter((finding) => !finding.endsWith(' answers.'))).toEqual(findings)
  })
})
