import { describe, expect, it, vi } from 'vitest'
import { join } from 'node:path'
import {
  addAccount,
  allRows,
  connectLikeServer,
  createDatabase,
  emptyFolder,
  newDatabase,
  openDatabase,
} from '../../test/database-rows.js'
import { runSql } from '../../test/site.js'
import type { DatabaseConfig } from '../db/connect.js'
import { moveDatabase, parseTarget } from './move.js'

vi.setConfig({ testTimeout: 60_000 })

const ignored = () => undefined

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
  return { ...rows, dns_zone: (rows['dns_zone'] as object[]).map((row) => ({ ...row, version: 0 })) }
}

describe.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a move from %s to %s', (kind, otherKind) => {
  it('refuses to run beside a server, copies every row, leaves the old database as it was, and goes on with its ids', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase(kind, folder.path)
    const to = await newDatabase(otherKind, folder.path, 'new')
    const before = await allRows(from)
    for (const used of [from, to]) {
      const disconnect = await connectLikeServer(used)
      await expect(moveDatabase(from, to, ignored)).rejects.toThrow(/[Oo]ther process.+: stop the servers? first\.$/)
      await disconnect()
    }
    const { rows } = await moveDatabase(from, to, ignored)
    expect(rows).toBe(5)
    expect(await allRows(from)).toEqual(before)
    expect(await allRows(to)).toEqual(await movedRows(from))
    expect(await addAccount(to, 'next@example.com')).toBe(5)
    await expect(moveDatabase(from, to, ignored)).rejects.toThrow('is in use: its table account has rows.')
  })
})

describe('an interrupted move to postgres', () => {
  const interrupt = new Error('Interrupted on purpose.')

  /** Fails after the first batch of accounts. */
  const interruptMove = async (from: DatabaseConfig, to: DatabaseConfig) => {
    const move = moveDatabase(from, to, ({ table }) => {
      if (table === 'account') throw interrupt
    })
    await expect(move).rejects.toBe(interrupt)
    await expect(openDatabase(to).then((db) => db.close())).rejects.toThrow('has not ended: repeat')
    expect((await allRows(to))['account']?.length).toBe(2)
  }

  it('continues when it is repeated', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    const to = await newDatabase('postgres', folder.path)
    await interruptMove(from, to)
    expect(await moveDatabase(from, to, ignored)).toMatchObject({ rows: 5, resumedRows: 2 })
    expect(await allRows(to)).toEqual(await movedRows(from))
  })

  it('starts over if a server has deleted a row in between', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    const to = await newDatabase('postgres', folder.path)
    await interruptMove(from, to)
    await runSql(from, `delete from account where id = 1`)
    expect(await moveDatabase(from, to, ignored)).toMatchObject({ resumedRows: 0 })
    expect(await allRows(to)).toEqual(await movedRows(from))
  })

  it('names the row with a text that PostgreSQL cannot store', async () => {
    await using folder = await emptyFolder()
    const from = await filledDatabase('sqlite', folder.path)
    await runSql(from, `update account set nickname = 'a' || char(0) || 'b' where id = 3`)
    const to = await newDatabase('postgres', folder.path)
    await expect(moveDatabase(from, to, ignored)).rejects.toThrow(
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
  await expect(moveDatabase(config, config, ignored)).rejects.toThrow('--to names the database that svc uses')
})
