import { describe, expect, it, vi } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import {
  addAccount,
  allRows,
  rowsAfter,
  connectLikeServer,
  createDatabase,
  emptyFolder,
  newDatabase,
  openDatabase,
} from '../../test/database-rows.js'
import { installationIn } from '../../test/installation.js'
import { runSql } from '../../test/site.js'
import { describeDatabase } from '../config/database.js'
import type { DatabaseConfig } from '../db/connect.js'
import { migrate } from '../db/migrate.js'
import { backup } from './backup.js'
import { openForDoctor } from './doctor/database.js'
import { moveDatabase, parseTarget, reopenDatabase, type MoveProgress } from './move.js'

vi.setConfig({ testTimeout: 60_000 })

/** Options of a move that nothing interrupts. */
const uninterrupted = { onProgress: () => undefined, signal: new AbortController().signal }

/** A database with rows of several tables; about 2 MiB, so that they are more than one batch. */
async function filledDatabase(kind: 'sqlite' | 'postgres', folder: string): Promise<DatabaseConfig> {
  const config = await newDatabase(kind, folder, 'old')
  await createDatabase(config)
  for (const name of ['a', 'b', 'c', 'd']) await addAccount(config, `${name}@example.com`)
  await runSql(config, `update account set nickname = '${'ü'.repeat(600_000)}'`)
  await runSql(
    config,
    `insert into dns_zone (name, serial, version, last_record_id, holder_id, content_bytes) values ('a.example', 7, 99, 5, 2, 0)`,
  )
  await runSql(
    config,
    `insert into dns_record (zone_id, id, account_id, type, host, value, ttl, created_at, updated_at) values (1, 5, 2, 'TXT', '@', '𝄞 "x"', 300, 'x', 'x')`,
  )
  await runSql(config, `insert into change_clock (name, value) values ('sites${kind === 'postgres' ? ' 3' : ''}', 12)`)
  await runSql(config, `delete from account where email = 'd@example.com'`)
  return config
}

/** The rows as they are in another database. */
async function movedRows(config: DatabaseConfig): Promise<Record<string, unknown[]>> {
  const { change_clock: _, ...rows } = await allRows(config)
  return {
    ...rows,
    installation: (rows['installation'] as object[]).map((row) => ({ ...row, moved_to: null })),
    dns_zone: (rows['dns_zone'] as object[]).map((row) => ({ ...row, version: 0 })),
  }
}

describe.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a move from %s to %s', (kind, otherKind) => {
  it('refuses to run beside a server, copies every row, leaves the rows of the old database, which no process opens any more, and goes on with its ids', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase(kind, folder.path)
    const to = await newDatabase(otherKind, folder.path, 'new')
    const before = await allRows(from)
    for (const used of [from, to]) {
      const disconnect = await connectLikeServer(used)
      await expect(moveDatabase(from, to, uninterrupted)).rejects.toThrow(
        /[Oo]ther process.+: stop the servers? first\.$/,
      )
      await disconnect()
    }
    const { rows } = await moveDatabase(from, to, uninterrupted)
    expect(rows).toBe(5)
    const url = describeDatabase(to)
    expect(await allRows(from)).toEqual({ ...before, installation: [{ id: '0123456789abcdef', moved_to: url }] })
    const refusal = `This database was moved to ${url}, or a move to it has not ended: set SVC_DATABASE to that one`
    await expect(openDatabase(from)).rejects.toThrow(refusal)
    expect(await openForDoctor(from)).toMatchObject({ kind: 'failed', message: expect.stringContaining(refusal) })
    // A backup that runs every night must not go on with it.
    const installation = { ...(await installationIn(folder.path, kind)), database: from }
    const quietly = { withMasterKey: false, onProgress: () => undefined }
    await expect(backup(installation, join(folder.path, 'a.svc'), quietly)).rejects.toThrow(refusal)
    expect(await rowsAfter('svc database move', to)).toEqual(await movedRows(from))
    expect(await addAccount(to, 'next@example.com')).toBe(5)
    await expect(moveDatabase(from, to, uninterrupted)).rejects.toThrow('is in use: its table account has rows.')
    await expect(openDatabase(from)).rejects.toThrow(refusal)
    const third = await newDatabase('sqlite', folder.path, 'third')
    await expect(moveDatabase(from, third, uninterrupted)).rejects.toThrow(refusal)

    await reopenDatabase(from)
    expect(await rowsAfter('svc database reopen', from)).toEqual(before)
    await expect(reopenDatabase(from)).rejects.toThrow('was not moved: there is nothing to do.')
  })

  it('gives the old database back after a failure, and refuses a process that starts during it', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase(kind, folder.path)
    const to = await newDatabase(otherKind, folder.path, 'new')
    const stop = new AbortController()
    const onProgress = () => stop.abort(new Error('Interrupted on purpose.'))
    await expect(moveDatabase(from, to, { onProgress, signal: stop.signal })).rejects.toThrow('on purpose')
    const db = await openDatabase(from)
    await db.close()

    const starts: Promise<unknown>[] = []
    // SQLite would wait for its lock, and block the move, which is in the same process here.
    const start = () => kind === 'postgres' && starts.push(openDatabase(from).catch((error: unknown) => error))
    await moveDatabase(from, to, { ...uninterrupted, onProgress: start })
    for (const started of await Promise.all(starts)) expect(String(started)).toContain('This database was moved to')
    expect(starts.length > 0).toBe(kind === 'postgres')
  })

  it('updates the tables of an earlier version first', async () => {
    await using folder = await emptyFolder()
    const from = await newDatabase(kind, folder.path, 'old')
    const connection =
      from.kind === 'sqlite'
        ? new SqliteDialect({ database: new BetterSqlite(from.file) })
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: from.url }) })
    await migrate(kind, connection, '0019-days')
    await addAccount(from, 'a@example.com')
    const to = await newDatabase(otherKind, folder.path, 'new')
    await moveDatabase(from, to, uninterrupted)
    expect((await allRows(to))['account']).toEqual((await allRows(from))['account'])
    await expect(openDatabase(from)).rejects.toThrow('This database was moved to')
  })
})

describe('an interrupted move to postgres', () => {
  const interrupt = new Error('Interrupted on purpose.')

  /** Fails after the first batch of accounts. */
  const interruptMove = async (from: DatabaseConfig, to: DatabaseConfig) => {
    const stop = new AbortController()
    const onProgress = ({ table }: MoveProgress) => {
      if (table === 'account') stop.abort(interrupt)
    }
    const move = moveDatabase(from, to, { onProgress, signal: stop.signal })
    await expect(move).rejects.toBe(interrupt)
    await expect(openDatabase(to).then((db) => db.close())).rejects.toThrow('has not ended: repeat')
    expect((await allRows(to))['account']?.length).toBe(2)
  }

  it('continues when it is repeated', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    const to = await newDatabase('postgres', folder.path)
    await interruptMove(from, to)
    expect(await moveDatabase(from, to, uninterrupted)).toMatchObject({ rows: 5, resumedRows: 2 })
    expect(await rowsAfter('svc database move', to)).toEqual(await movedRows(from))
  })

  it('starts over if a server has deleted a row in between', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    const to = await newDatabase('postgres', folder.path)
    await interruptMove(from, to)
    await runSql(from, `delete from account where id = 1`)
    expect(await moveDatabase(from, to, uninterrupted)).toMatchObject({ resumedRows: 0 })
    expect(await rowsAfter('svc database move', to)).toEqual(await movedRows(from))
  })

  it('names the row with a text that PostgreSQL cannot store', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    await runSql(from, `update account set nickname = 'a' || char(0) || 'b' where id = 3`)
    const to = await newDatabase('postgres', folder.path)
    await expect(moveDatabase(from, to, uninterrupted)).rejects.toThrow(
      'The row of the table account that begins with 3 has a text with the character NUL, which PostgreSQL cannot store',
    )
  })
})

it.each([
  ['mysql://x', /^--to must be sqlite:<file> or postgres:/],
  ['postgres://user:p/ss@host/x', /^--to must be sqlite:<file> or postgres:.+percent-encoded\.$/],
])('refuses the target %s', (url, message) => {
  expect(() => parseTarget(url)).toThrow(message)
})

it('refuses the database that svc uses', async () => {
  await using folder = await emptyFolder()
  const config: DatabaseConfig = { kind: 'sqlite', file: join(folder.path, 'svc.db') }
  await expect(moveDatabase(config, config, uninterrupted)).rejects.toThrow('--to names the database that svc uses')
})

it.each([
  ['postgres://user:secret@127.0.0.1:1/x', /^The database postgres:.+ check --to\.$/],
  ['sqlite:/', /^The new database .+ name another place with --to\.$/],
  ['sqlite:/dev/null/svc.db', /^The new database .+ name another place with --to\.$/],
])('names --to, not a setting, for the target %s that cannot be used', async (url, message) => {
  await using folder = await emptyFolder()
  const config = await newDatabase('sqlite', folder.path, 'old')
  await createDatabase(config)
  await expect(moveDatabase(config, parseTarget(url), uninterrupted)).rejects.toThrow(message)
})

it('names --to for a target that is no database', async () => {
  await using folder = await emptyFolder()
  const config = await newDatabase('sqlite', folder.path, 'old')
  await createDatabase(config)
  const file = join(folder.path, 'text')
  await writeFile(file, 'no database '.repeat(100))
  await expect(moveDatabase(config, parseTarget(`sqlite:${file}`), uninterrupted)).rejects.toThrow(
    /is not a SQLite database.+ or name another place with --to\.$/,
  )
})
