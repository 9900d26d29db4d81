import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changesBetween, schemaOf } from '../../../test/additions.js'
import { migrate } from '../migrate.js'
import { openSqlite } from '../sqlite/connection.js'
import { isAdditive, migrationNames } from './index.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-additive-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** @returns what more than additions `change` makes, in a database that is migrated up to a migration */
async function changesBy(last: string, change: (file: string) => unknown): Promise<string[]> {
  const file = join(await mkdtemp(join(folder, 'one-')), 'svc.db')
  await migrateFile(file, last)
  const schema = () => {
    const handle = new BetterSqlite(file, { readonly: true })
    const found = schemaOf(handle)
    handle.close()
    return found
  }
  const before = schema()
  await change(file)
  return changesBetween(before, schema())
}

const migrateFile = (file: string, last: string) =>
  migrate('sqlite', new SqliteDialect({ database: openSqlite(file) }), last)

function execute(file: string, sql: string): void {
  const handle = new BetterSqlite(file)
  handle.exec(sql)
  handle.close()
}

it('each migration that is named as an addition only adds', async () => {
  for (const [index, name] of migrationNames.entries()) {
    if (!isAdditive(name)) continue
    const changes = await changesBy(migrationNames[index - 1] ?? '', (file) => migrateFile(file, name))
    expect([name, ...changes]).toEqual([name])
  }
})

describe('a change of the schema', () => {
  const changesOf = (sql: string) => changesBy(migrationNames.at(-1) ?? '', (file) => execute(file, sql))

  it.each([
    ['a table', 'create table new (id integer primary key, account_id integer references account on delete cascade)'],
    ['a column that may be null', 'alter table account add column later text'],
    ['a column with a default', 'alter table account add column later integer not null default 0'],
    ['an index', 'create index later on account (created_at)'],
  ])('%s is an addition', async (_, sql) => {
    expect(await changesOf(sql)).toEqual([])
  })

  it.each([
    ['create unique index later on account (nickname)', 'later restricts or changes the writes of account'],
    ['drop table credential', 'credential is dropped'],
    ['alter table account rename column nickname to name', 'account.nickname is dropped or changed'],
    ['create table new (account_id integer references account)', 'rows of new prevent the deletion of rows of account'],
    [
      'create trigger later after insert on account begin select 1; end',
      'later restricts or changes the writes of account',
    ],
  ])('is no addition: %s', async (sql, change) => {
    expect(await changesOf(sql)).toContain(change)
  })
})
