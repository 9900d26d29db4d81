import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import { addAccount, createDatabase, emptyFolder, newDatabase } from '../../test/database-rows.js'
import { runSql } from '../../test/site.js'
import { migrationNames } from './migrations/index.js'
import { openBulkTarget, openSnapshot } from './connect.js'
import type { Row, TableShape, Value } from './table-shape.js'

/** Values that an encoding could change. */
const values: Record<string, { text: string; number: number | null; bytes: Buffer }> = {
  nothing: { text: '', number: null, bytes: Buffer.alloc(0) },
  'the largest number and every byte': {
    text: 'plain',
    number: Number.MAX_SAFE_INTEGER,
    bytes: Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  },
  'characters beyond the basic plane, quotes and escapes': {
    text: `𝄞 é "double" 'single' {a,b} \\x41 \\N NULL\r\n\t\u2028\u{10ffff}`,
    number: 0,
    bytes: Buffer.from('\\x00'),
  },
  'the word null': { text: 'null', number: 1, bytes: Buffer.from('null') },
}

const rowsOf = async (batches: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
  const rows: Row[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}

describe.each(databaseKinds)('a snapshot on %s', (kind) => {
  it('has the tables of the migrated database, referenced ones first, at one moment, and the rows of a condition', async () => {
    await using folder = await emptyFolder()
    const config = await newDatabase(kind, folder.path)
    await createDatabase(config)
    for (const email of ['b@example.com', 'a@example.com']) await addAccount(config, email)
    const snapshot = await openSnapshot(config)
    await addAccount(config, 'later@example.com')

    const names =
      kind === 'postgres'
        ? `select tablename as name from pg_tables where schemaname = 'public'`
        : `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
    const found = snapshot.tables.map(({ name }) => name)
    const kysely = ['kysely_migration', 'kysely_migration_lock']
    expect([...found, ...kysely].sort()).toEqual((await runSql(config, names)).map(({ name }) => name).sort())
    for (const [table, referring] of [
      ['account', 'token'],
      ['file', 'file_part'],
      ['blob', 'file_part'],
      ['site_version', 'site_file'],
    ] as const)
      expect(found.indexOf(table)).toBeLessThan(found.indexOf(referring))
    expect(snapshot.migrations).toEqual(migrationNames)
    expect(snapshot.tables.every(({ primaryKey }) => primaryKey.length > 0)).toBe(true)

    const account = snapshot.tables.find(({ name }) => name === 'account') as TableShape
    expect(account).toMatchObject({ primaryKey: ['id'], hasGeneratedId: true })
    const ids = async (batches: AsyncIterable<readonly Row[]>) => (await rowsOf(batches)).map((row) => row[0])
    expect(await ids(snapshot.rows(account))).toEqual([1, 2])
    expect(await ids(snapshot.rows(account, sql`email = ${'a@example.com'}`))).toEqual([2])
    await snapshot.close()

    if (kind === 'sqlite') return
    const alone = await openSnapshot(config, { isExclusive: true })
    const write = runSql(config, `set lock_timeout = '50ms'; delete from account`)
    await expect(write, 'by a server that starts during a move').rejects.toThrow('lock timeout')
    expect((await ids(alone.rows(account))).length).toBe(3)
    await alone.close()
  })

  it('gives back the values that a bulk target got, in batches, and no id is given out twice', async () => {
    await using folder = await emptyFolder()
    const config = await newDatabase(kind, folder.path)
    const target = await openBulkTarget(config, { migrations: migrationNames, resumes: false })
    const columns = ['id', 'email', 'nickname', 'password_hash', 'created_at']
    await target.insert('account', columns, [[5, 'x@example.com', '', 'x', 1]])
    const tokens = Object.values(values).map(({ text, number, bytes }, i): Value[] => [
      i + 1,
      5,
      text,
      'x'.repeat(600_000),
      Buffer.concat([bytes, Buffer.of(i)]),
      '*',
      1,
      number,
    ])
    const tokenColumns = ['id', 'account_id', 'name', 'prefix', 'hash', 'scopes', 'created_at', 'last_used_at']
    await target.insert('token', tokenColumns, tokens)
    await target.complete(new Map([['account', 41]]), '0123456789abcdef')

    const snapshot = await openSnapshot(config)
    const token = snapshot.tables.find(({ name }) => name === 'token') as TableShape
    const batches: Row[][] = []
    for await (const rows of snapshot.rows(token)) batches.push([...rows])
    await snapshot.close()
    expect(batches.map(({ length }) => length)).toEqual([2, 2])
    // The columns behind these have their defaults.
    expect(batches.flat().map((row) => row.slice(0, tokenColumns.length))).toEqual(tokens)
    expect(await addAccount(config, 'next@example.com')).toBe(42)
  })
})
