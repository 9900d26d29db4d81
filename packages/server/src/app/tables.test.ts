import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../test/servers/index.js'
import { filledPostgres } from '../../test/postgres-plans.js'
import { sqlitePlans } from '../../test/sqlite-plans.js'
import { areaTables, exportedRows, ownedRows, tableNames as names, tables } from './tables.js'
import { connect, type DatabaseConfig } from '../db/connect.js'
import type { Dialect } from '../db/dialect.js'
import type { TableName } from '../db/table-declaration.js'
import { prepared } from '../db/prepared.js'

/** Columns that end with _id and refer to no row of a table. */
const otherIds = [
  'dns_zone.last_record_id',
  'sms_inbox.last_id',
  'sms_inbox.removed_id',
  'webhook_delivery.request_id',
  'webhook_attempt.request_id',
]
/** Of keys, which are in no table. */
const keyIds = ['credential', 'sms_key', 'certificate', 'acme_account', 'token', 'dns_key', 'account_webhook']
  .map((table) => `${table}.master_key_id`)
  .concat('master_key.key_id')
const handoverIds = ['master_key_handover.old_key_id', 'master_key_handover.new_key_id']
/** Entries of deployments that are gone. */
const withoutRow = ['deployment_deleted.deployment_id', 'zone_change.request_id', 'account_event.request_id']

/** Tables of areas that leave the deletion of an account's rows to the declarations. */
const plain = areaTables
  .filter(({ removePart }) => removePart === undefined)
  .flatMap((area) => Object.keys(area.tables) as TableName[])
  .filter((name) => !['installation', 'referrer'].includes(tables[name].ownership.by))

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-account-tables-'))
  file = join(folder, 'svc.db')
  await migrate({ kind: 'sqlite', file })
})
afterAll(() => rm(folder, { recursive: true }))

async function migrate(config: DatabaseConfig): Promise<void> {
  const db = await connect(config, (error) => {
    throw error
  })
  await db.close()
}

describe('every table', () => {
  let handle: BetterSqlite.Database
  beforeAll(() => {
    handle = new BetterSqlite(file, { readonly: true })
  })
  afterAll(() => handle.close())
  const all = (sql: string, ...params: string[]) => handle.prepare(sql).all(...params) as Record<string, string>[]

  it('every table of a migrated database is registered', () => {
    const tables = all(
      `select name from sqlite_schema where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'`,
    )
    expect(names.toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  })

  it('every table follows the tables that it refers to, except where two refer to each other', () => {
    for (const [index, name] of names.entries())
      for (const { table } of all('select "table" from pragma_foreign_key_list(?)', name))
        expect([...names.slice(0, index), 'session'], `${name} refers to ${table}`).toContain(table)
  })

  it.each(names)('%s names its foreign keys, and every other column with an id', (name) => {
    const { references, hasGeneratedId = false } = tables[name]
    const declared = all('select "table", "from" from pragma_foreign_key_list(?)', name)
    expect(references).toMatchObject(Object.fromEntries(declared.map((key) => [key['from'], key['table']])))
    const ids = all(`select name from pragma_table_info(?) where name like '%\\_id' escape '\\'`, name)
    const unknown = ids
      .map((column) => `${name}.${column['name']}`)
      .filter((column) => ![...otherIds, ...keyIds, ...handoverIds, ...withoutRow].includes(column))
    const named = Object.keys(references).map((column) => `${name}.${column}`)
    expect(named).toEqual(expect.arrayContaining(unknown))
    const created = all('select sql from sqlite_schema where name = ?', name)[0]?.['sql'] ?? ''
    expect(hasGeneratedId).toBe(created.includes('autoincrement'))
  })

  it.each(plain)(
    '%s is deleted by its primary key: with a part of it, one transaction would delete all rows of an account',
    (name) => {
      const { hasGeneratedId, key = [hasGeneratedId ? 'id' : 'account_id'] } = tables[name]
      const primary = all('select name from pragma_table_info(?) where pk > 0 order by pk', name)
      expect(key).toEqual(primary.map((column) => column['name']))
    },
  )
})

/** Reads that take longer than the rows of the account need, with the reason. */
const exceptions = [
  'reads rows of other accounts from dns_record', // those of the few accounts that held a zone of the account
  'reads rows of other accounts from webhook_delivery', // read by the deployment, which is of the account
]

const conditions = [ownedRows, exportedRows]

/** Each condition as a query that reads the rows, with the name of its table. */
const queries = (dialect: Dialect) =>
  names
    .flatMap((name) => conditions.map((rows) => ({ name, rows })))
    .filter(({ name, rows }) => rows(name, 0, dialect) !== undefined)
    .map(({ name, rows }) => {
      const query = prepared((db, p: { accountId: number }) =>
        db
          .selectFrom(name)
          .selectAll()
          .where(rows(name, p.accountId, dialect) ?? sql<boolean>`false`),
      )
      return { name, query: query.for(dialect) }
    })

describe('the rows of an account are found by indexes', () => {
  it('the rows of an account are found by indexes on SQLite', () => {
    const plans = sqlitePlans(file)
    for (const { name, query } of queries('sqlite'))
      expect(exceptions, name).toEqual(expect.arrayContaining(plans.excessReads(query)))
    plans.close()
  })

  it('the rows of an account are found by indexes on PostgreSQL, with ten million rows in each table', async () => {
    const url = await freshPostgres()
    await migrate({ kind: 'postgres', url })
    const plans = await filledPostgres(url)
    await plans.pretendRows(10_000_000)
    for (const { name, query } of queries('postgres'))
      expect(exceptions, name).toEqual(expect.arrayContaining(await plans.excessReads(query)))
    await plans.close()
  })
})
