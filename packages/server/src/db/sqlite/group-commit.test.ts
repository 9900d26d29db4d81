import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteDialect } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareSchema } from '../migrate.js'
import { prepared } from '../prepared.js'
import { unit, type UnitKey } from '../unit.js'
import { SqliteConnection, openSqlite } from './connection.js'
import { GroupCommit } from './group-commit.js'

const save = prepared((db, p: { id: number; rates: string }) =>
  db.insertInto('exchange_rates').values({ id: p.id, rates: p.rates, fetched_at: 0 }),
)
const ids = prepared((db, _: object) => db.selectFrom('exchange_rates').select('id').orderBy('id'))

const saveOne = unit(import.meta, 'saveOne', async (tx, id: number, rates?: string) =>
  tx.run(save, { id, rates: rates ?? '{}' }),
)
const sendTwo = unit(import.meta, 'sendTwo', async (tx, first: number, second: number) => {
  tx.send(save, { id: first, rates: '{}' })
  tx.send(save, { id: second, rates: '{}' })
})
const saveThenFail = unit(import.meta, 'saveThenFail', async (tx, id: number) => {
  await tx.run(save, { id, rates: '{}' })
  throw new Error('on purpose')
})

let folder: string
let connection: SqliteConnection
let group: GroupCommit

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-group-commit-'))
  const file = join(folder, 'svc.db')
  await prepareSchema('migrate', 'sqlite', new SqliteDialect({ database: openSqlite(file) }))
  connection = new SqliteConnection(openSqlite(file))
  group = new GroupCommit(connection)
})

afterEach(async () => {
  connection.handle.close()
  await rm(folder, { recursive: true })
})

const keyOf = ({ module, name }: UnitKey): UnitKey => ({ module, name })
const stored = async () => (await connection.all(ids, {})).map(({ id }) => id)

it('rolls back a unit that throws and commits the others of its group', async () => {
  const outcomes = await group.run([
    { id: 1, unit: keyOf(saveOne), args: [1] },
    { id: 2, unit: keyOf(saveThenFail), args: [2] },
    { id: 3, unit: keyOf(saveOne), args: [3] },
  ])
  expect(outcomes).toMatchObject([
    { id: 1, value: 1 },
    { id: 2, error: { message: 'on purpose' } },
    { id: 3, value: 1 },
  ])
  expect(await stored()).toEqual([1, 3])
})

it('rolls back a unit with a sent statement that fails, and commits the others of its group', async () => {
  const outcomes = await group.run([
    { id: 1, unit: keyOf(sendTwo), args: [1, 2] },
    { id: 2, unit: keyOf(sendTwo), args: [3, 1] },
    { id: 3, unit: keyOf(sendTwo), args: [4, 5] },
  ])
  expect(outcomes).toMatchObject([{ id: 1 }, { id: 2, error: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } }, { id: 3 }])
  expect(await stored()).toEqual([1, 2, 4, 5])
})

it('reports exactly the units that a full disk lost, and commits again once there is space', async () => {
  connection.handle.pragma(`max_page_count = ${String(connection.handle.pragma('page_count', { simple: true }))}`)
  const outcomes = await group.run([
    { id: 1, unit: keyOf(saveOne), args: [1] },
    { id: 2, unit: keyOf(saveOne), args: [2, 'x'.repeat(100_000)] },
    { id: 3, unit: keyOf(saveOne), args: [3] },
  ])
  const failed = outcomes.filter((outcome) => 'error' in outcome).map(({ id }) => id)
  expect(failed).toContain(2)
  expect(await stored()).toEqual([1, 3].filter((id) => !failed.includes(id)))

  connection.handle.pragma('max_page_count = 1000000')
  expect(await group.run([{ id: 4, unit: keyOf(saveOne), args: [4] }])).toMatchObject([{ id: 4, value: 1 }])
  expect(await stored()).toContain(4)
})

it('imports the module of a unit that is not loaded yet', async () => {
  const job = {
    id: 1,
    unit: { module: new URL('../../../test/late-unit.ts', import.meta.url).href, name: 'saveLate' },
    args: [7],
  }
  expect(await group.run([job, { ...job, id: 2, args: [8] }])).toMatchObject([
    { id: 1, value: 1 },
    { id: 2, value: 1 },
  ])
  expect(await stored()).toEqual([7, 8])
})

it.each([
  ['a missing module', { module: 'file:///nowhere.js', name: 'x' }, /nowhere\.js/],
  [
    'a unit that its module does not declare',
    { module: import.meta.url, name: 'x' },
    /declares no unit of work called x at its top level/,
  ],
])('fails the job of %s with the reason, and commits the others', async (_, unit, reason) => {
  const outcomes = await group.run([
    { id: 1, unit, args: [] },
    { id: 2, unit: keyOf(saveOne), args: [2] },
  ])
  expect(outcomes).toMatchObject([
    { id: 1, error: { message: expect.stringMatching(reason) } },
    { id: 2, value: 1 },
  ])
  expect(await stored()).toEqual([2])
})

it('opens the database with the settings that durability needs', () => {
  expect(connection.handle.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(connection.handle.pragma('synchronous', { simple: true })).toBe(2)
  expect(connection.handle.pragma('foreign_keys', { simple: true })).toBe(1)
  expect(connection.handle.pragma('busy_timeout', { simple: true })).toBe(10_000)
})
