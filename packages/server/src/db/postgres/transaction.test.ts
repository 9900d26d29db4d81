import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { startCommitProxy, type CommitProxy } from '../../../test/commit-proxy.js'
import type { Database, Transaction } from '../port.js'
import { prepared } from '../prepared.js'
import { unit, type Unit } from '../unit.js'
import { Connections, DatabaseTimeout } from './connections.js'
import { openPostgresDatabase } from './postgres.js'
import { runInTransaction } from './transaction.js'

const save = prepared((db, p: { id: number; rates: unknown }) =>
  db.insertInto('exchange_rates').values({ id: p.id, rates: p.rates as string, fetched_at: 0 }),
)
const savedIds = prepared((db, _: object) => db.selectFrom('exchange_rates').select('id').orderBy('id'))
const hang = prepared((db, _: object) => db.selectNoFrom(sql`pg_sleep(60)`.as('slept')))

const saveTwo = unit(import.meta, 'saveTwo', async (tx, first: number, second: number) => {
  tx.send(save, { id: first, rates: '{}' })
  tx.send(save, { id: second, rates: '{}' })
})
const sendThenRead = unit(import.meta, 'sendThenRead', async (tx: Transaction, id: number) => {
  tx.send(save, { id, rates: '{}' })
  return (await tx.all(savedIds, {})).map((row) => row.id)
})
const sendThenThrow = unit(import.meta, 'sendThenThrow', async (tx: Transaction, id: number) => {
  await sendThenRead.work(tx, id)
  tx.send(save, { id: id + 1, rates: '{}' })
  throw new Error('on purpose')
})
const sendValue = unit(import.meta, 'sendValue', async (tx: Transaction, rates: unknown) => {
  tx.send(save, { id: 100, rates: '{}' })
  tx.send(save, { id: 101, rates })
})
const goOnAfterFailure = unit(import.meta, 'goOnAfterFailure', async (tx) => {
  tx.send(save, { id: 100, rates: '{}' })
  await tx.run(save, { id: 1, rates: '{}' }).catch(() => 0)
})
const readTogether = unit(import.meta, 'readTogether', async (tx) => {
  const failing = async () => {
    await tx.run(save, { id: 1, rates: '{}' })
    await Promise.resolve()
  }
  await Promise.all([failing(), tx.all(savedIds, {})])
})
const sendThenHang = unit(import.meta, 'sendThenHang', async (tx) => {
  tx.send(save, { id: 100, rates: '{}' })
  await tx.all(hang, {})
})
const sleep = prepared((db, p: { seconds: number }) => db.selectNoFrom(sql`pg_sleep(${p.seconds})`.as('slept')))
const sendAndSleep = unit(import.meta, 'sendAndSleep', async (tx) => {
  tx.send(save, { id: 100, rates: '{}' })
  tx.send(sleep, { seconds: 0.3 })
  tx.send(sleep, { seconds: 0.8 })
})
const sleeping = prepared((db, _: object) =>
  db.selectNoFrom(
    sql<number>`(select count(*) from pg_stat_activity where query like '%pg_sleep($1)%' and state <> 'idle' and pid <> pg_backend_pid())`.as(
      'sessions',
    ),
  ),
)
const readTwice = unit(import.meta, 'readTwice', async (tx) => {
  await tx.all(savedIds, {})
  tx.send(save, { id: 7, rates: '{}' })
  await tx.all(savedIds, {})
  tx.send(save, { id: 8, rates: '{}' })
  tx.send(save, { id: 9, rates: '{}' })
})

let proxy: CommitProxy
let db: Database
let connections: Connections
beforeAll(async () => {
  const url = await freshPostgres()
  db = await openPostgresDatabase(url, () => undefined)
  proxy = await startCommitProxy(url)
  const options = { max: 1, statementMs: 5_000, runsTransactions: true, onLost: () => undefined }
  connections = new Connections({ url: proxy.url, ...options })
  await write(saveTwo, 1, 2)
})
afterAll(async () => {
  await connections.end()
  await proxy.stop()
  await db.close()
})

const run = <A extends readonly unknown[], R>(begin: string, ms: number, work: Unit<A, R>, ...args: A): Promise<R> =>
  connections.use(performance.now() + ms, (client) => runInTransaction(client, begin, work, args))
const write = <A extends readonly unknown[], R>(work: Unit<A, R>, ...args: A): Promise<R> =>
  run('begin read write', 20_000, work, ...args)
const stored = async () => (await db.all(savedIds, {})).map(({ id }) => id)
let nextId = 10

it.each<[name: string, failing: () => Promise<unknown>, error: object]>([
  ['a constraint violation at the last statement', () => write(saveTwo, 100, 1), { code: '23505' }],
  ['a constraint violation before a statement that succeeds', () => write(saveTwo, 1, 100), { code: '23505' }],
  ['a constraint violation before a read', () => write(sendThenRead, 1), { code: '23505' }],
  ['a value that PostgreSQL rejects', () => write(sendValue, '\0'), { code: '22021' }],
  ['an error of the unit behind sent statements', () => write(sendThenThrow, 100), { message: 'on purpose' }],
  [
    'an error that the unit ignores',
    () => write(goOnAfterFailure),
    { message: expect.stringContaining('rolled back') },
  ],
  ['a constraint violation beside another statement', () => write(readTogether), { code: '23505' }],
  ['a begin that fails', () => run('begin at once', 20_000, saveTwo, 100, 101), { code: '42601' }],
])('%s: rejects, stores nothing, and keeps the connection', async (_name, failing, error) => {
  const [before, session] = [await stored(), await backend()]
  await expect(failing()).rejects.toMatchObject(error)
  expect(await stored()).toEqual(before)
  await writesAgain(before)
  expect(await backend()).toEqual(session)
})

it('a value that the driver cannot encode: rejects, stores nothing, and the next transaction gets a new connection', async () => {
  const before = await stored()
  await expect(write(sendValue, { toPostgres: fail })).rejects.toThrow('not encoded')
  expect(await stored()).toEqual(before)
  await writesAgain(before)
})

const fail = () => {
  throw new Error('not encoded')
}
const backend = () =>
  connections.use(performance.now() + 20_000, async (client) => (await client.query('select pg_backend_pid()')).rows)

async function writesAgain(before: readonly number[]): Promise<void> {
  const id = nextId++
  expect(await write(sendThenRead, id)).toEqual([...before, id])
}

it('sent statements and the commit take one round trip, and each read another one', async () => {
  const count = async (work: () => Promise<unknown>) => {
    const before = proxy.roundTrips()
    await work()
    return proxy.roundTrips() - before
  }
  expect(await count(() => write(saveTwo, 5, 6))).toBe(1)
  expect(await count(() => write(readTwice))).toBe(3)
  expect(await stored()).toEqual(expect.arrayContaining([5, 6, 7, 8, 9]))
})

it('a transaction is cut at its deadline with sent statements, and the next transaction gets a new connection', async () => {
  const before = await stored()
  await expect(run('begin read write', 300, sendThenHang)).rejects.toThrow(DatabaseTimeout)
  await writesAgain(before)
})

it('a transaction is not committed after its deadline, although the commit is on its way', async () => {
  const before = await stored()
  await expect(run('begin read write', 400, sendAndSleep)).rejects.toThrow(DatabaseTimeout)
  await vi.waitFor(async () => expect(await db.one(sleeping, {})).toEqual({ sessions: 0 }), 5_000)
  expect(await stored()).toEqual(before)
})

it.each([
  ['commit lost', false],
  ['answer lost', true],
] as const)('%s: rejects, and whether it is committed is %s', async (fault, isCommitted) => {
  const ids = [nextId++, nextId++] as const
  proxy.arm(fault)
  await expect(write(saveTwo, ...ids)).rejects.toThrow('Connection terminated unexpectedly')
  const found = (await stored()).filter((id) => ids.includes(id))
  expect(found).toEqual(isCommitted ? ids : [])
  await write(sendThenRead, nextId++)
})
