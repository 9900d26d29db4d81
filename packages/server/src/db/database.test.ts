import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshPostgres } from '../../../../test/servers/index.js'
import { increment, lockCounter, lockHolder } from '../../test/lock-holder.js'
import { accountStore } from '../areas/account/accounts/store.js'
import { connect, type DatabaseConfig } from './connect.js'
import { LockTimeout } from './keyed-mutex.js'
import type { Database } from './port.js'
import { prepared } from './prepared.js'
import { sharedLockName } from './sqlite/file-locks.js'

/** The guarantees of the database port, for every adapter. */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-database-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const fresh: Record<string, () => Promise<DatabaseConfig>> = {
  SQLite: async () => ({ kind: 'sqlite', file: join(folder, `${++files}.db`) }),
  PostgreSQL: async () => ({ kind: 'postgres', url: await freshPostgres() }),
}

const open = (config: DatabaseConfig) =>
  connect(config, (error) => {
    throw error
  })
const newAccount = (email: string) => ({ email, nickname: '', passwordHash: 'x', now: 1_795_167_000_123 })
const countAccounts = prepared((db, _: object) =>
  db.selectFrom('account').select((of) => of.cast<number>(of.fn.countAll(), 'integer').as('count')),
)

describe.each(Object.entries(fresh))('%s', (_name, configure) => {
  let config: DatabaseConfig
  let db: Database
  beforeAll(async () => {
    config = await configure()
    db = await open(config)
  })
  afterAll(() => db.close())

  const count = async (database = db) => (await database.one(countAccounts, {}))?.count

  it('a write is visible to the next read of this process and of another one', async () => {
    const other = await open(config)
    const made = await accountStore(db).add(newAccount('seen@example.com'))
    expect(await accountStore(db).byEmail('seen@example.com')).toMatchObject({
      id: made.id,
      createdAt: 1_795_167_000_123,
    })
    expect(await accountStore(other).byEmail('seen@example.com')).toMatchObject({ id: made.id })
    await other.close()
  })

  it('has a new commit number after a write of this process or of another, and the same without one', async () => {
    const other = await open(config)
    for (const writer of [db, other]) {
      const [before, unchanged] = [db.commitNumber(), db.commitNumber()]
      expect(unchanged).toBe(before)
      await accountStore(writer).add(newAccount(`commit${writer === db ? 1 : 2}@example.com`))
      if (db.dialect === 'postgres') expect(db.commitNumber()).toBeUndefined()
      else expect(db.commitNumber()).not.toBe(before)
    }
    await other.close()
  })

  it('rejects with the ApiError that a unit threw, and rolls the unit back', async () => {
    await accountStore(db).add(newAccount('taken@example.com'))
    const before = await count()
    const again = accountStore(db).add(newAccount('taken@example.com'))
    await expect(again).rejects.toBeInstanceOf(ApiError)
    await expect(again).rejects.toMatchObject({ code: 'bad_request', status: 400 })
    expect(await count()).toBe(before)
  })

  it('commits the units that succeed when others of the same burst fail', async () => {
    const before = Number(await count())
    const emails = Array.from({ length: 60 }, (_, i) => `many${i % 50}@example.com`)
    const results = await Promise.allSettled(emails.map((email) => accountStore(db).add(newAccount(email))))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    expect(await count()).toBe(before + 50)
  })

  it('an argument that cannot be stored fails only its own write', async () => {
    const now = Symbol('not a time') as never
    const emails = ['before@example.com', 'symbol@example.com', 'after@example.com']
    const results = await Promise.allSettled(
      emails.map((email) => accountStore(db).add({ ...newAccount(email), ...(email.startsWith('symbol') && { now }) })),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('neither loses nor repeats a write when two processes write at once', async () => {
    const other = await open(config)
    const before = Number(await count())
    const race = Array.from({ length: 40 }, (_, i) =>
      accountStore(i % 2 === 0 ? db : other).add(newAccount(`race${i >> 2}@example.com`)),
    )
    const results = await Promise.allSettled(race)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await count(other)).toBe(before + 10)
    await other.close()
  })

  it('a database can be opened by several processes at once while it is still empty', async () => {
    const empty = await configure()
    const opened = await Promise.all([open(empty), open(empty), open(empty)])
    await Promise.all(opened.map((database, i) => accountStore(database).add(newAccount(`first${i}@example.com`))))
    expect(await Promise.all(opened.map(count))).toEqual([3, 3, 3])
    await Promise.all(opened.map((database) => database.close()))
  })

  it('finishes running writes before it closes, and rejects later ones', async () => {
    const closing = await open(config)
    const writes = [1, 2, 3].map((i) => accountStore(closing).add(newAccount(`closing${i}@example.com`)))
    await closing.close()
    expect((await Promise.all(writes)).map(({ email }) => email)).toEqual([
      'closing1@example.com',
      'closing2@example.com',
      'closing3@example.com',
    ])
    await expect(accountStore(closing).add(newAccount('late@example.com'))).rejects.toThrow()
    expect(await accountStore(db).byEmail('late@example.com')).toBeUndefined()
  })

  it('locks a key between processes, and times out without blocking the event loop', async () => {
    const key = 'held.example'
    await using holder = await lockHolder(config, key)
    const ran = vi.fn(async () => undefined)
    let ticks = 0
    // A busy machine may give the process too little time.
    for (let i = 0; i < 5 && ticks <= 20; i++) {
      ticks = 0
      const ticking = setInterval(() => (ticks += 1), 5)
      const from = performance.now()
      const late = await db.withLock(key, ran, 400).catch((error: unknown) => error)
      const took = performance.now() - from
      clearInterval(ticking)
      expect(late).toBeInstanceOf(LockTimeout)
      expect(String(late)).toContain(key)
      expect(ran).not.toHaveBeenCalled()
      expect(took).toBeGreaterThan(350)
      expect(took).toBeLessThan(3_000)
    }
    expect(ticks).toBeGreaterThan(20)
    // A call that times out in this process's own queue, behind one that waits for the other process.
    const both = [db.withLock(key, ran, 600), db.withLock(key, ran, 300)]
    const outcomes = await Promise.all(both.map((one) => one.catch((error: unknown) => error)))
    expect(outcomes).toEqual([expect.any(LockTimeout), expect.any(LockTimeout)])
    expect(ran).not.toHaveBeenCalled()
    // Other keys are free.
    await expect(db.withLock('other.example', async () => 'done', 400)).resolves.toBe('done')
    await holder.release()
    await expect(db.withLock(key, async () => 'done', 2_000)).resolves.toBe('done')
  })

  it('passes the lock of a killed process to a call that waits without a limit', async () => {
    await using holder = await lockHolder(config, 'killed.example')
    const waiting = db.withLock('killed.example', async () => performance.now())
    await sleep(100)
    const killed = performance.now()
    await holder.kill()
    expect((await waiting) - killed).toBeLessThan(2_000)
  })

  it('releases the lock when the work throws', async () => {
    const failed = db.withLock('thrown.example', () => Promise.reject(new Error('on purpose')), 500)
    await expect(failed).rejects.toThrow('on purpose')
    const other = await open(config)
    await expect(other.withLock('thrown.example', async () => 'done', 500)).resolves.toBe('done')
    await other.close()
  })

  it('never has two holders of one lock, and starves neither process', async () => {
    const file = join(folder, `counter-${++files}`)
    await writeFile(file, '0')
    await using other = await lockCounter(config, 'counted.example', file)
    let mine = 0
    while (!other.isDone() || mine < 40) {
      await db.withLock('counted.example', () => increment(file), 5_000)
      mine += 1
      expect(mine).toBeLessThan(4_000)
    }
    expect(Number(await readFile(file, 'utf8'))).toBe(mine + 40)
  })

  it('a job that runs for long holds up neither a zone nor another job', async () => {
    // The hash of this zone selects the same lock file on SQLite.
    const alike = Array.from({ length: 4_000 }, (_, i) => `zone${i}.example`).find(
      (zone) => sharedLockName(zone) === sharedLockName('job'),
    )
    let finish: () => void = () => undefined
    let running: Promise<void> | undefined
    await new Promise<void>((begin) => {
      running = db.withJobLock('job', () => {
        begin()
        return new Promise((resolve) => (finish = resolve))
      })
    })
    for (const zone of ['job', alike!]) expect(await db.withLock(zone, async () => 'done', 5_000)).toBe('done')
    expect(await db.withJobLock('another', async () => 'done', 5_000)).toBe('done')
    const other = await open(config)
    const late = await other.withJobLock('job', async () => 'done', 3_000).catch((error: unknown) => error)
    expect(late).toBeInstanceOf(LockTimeout)
    expect((late as LockTimeout).cause).toBeUndefined()
    await other.close()
    finish()
    await running
    expect(await db.withJobLock('job', async () => 'done', 5_000)).toBe('done')
  }, 60_000)

  it('answers a ping', async () => {
    await expect(db.ping()).resolves.toBeUndefined()
  })
})

it('PostgreSQL: a lock that times out because all connections are in use says so', async () => {
  const db = await open(await fresh['PostgreSQL']!())
  let finish: () => void = () => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  let holders = 0
  const held = Array.from({ length: 8 }, (_, i) =>
    db.withLock(`held${i}.example`, () => {
      holders++
      return finished
    }),
  )
  await expect.poll(() => holders, { timeout: 20_000 }).toBe(8)
  const late = await db.withJobLock('job', async () => 'done', 100).catch((error: unknown) => error)
  expect(late).toBeInstanceOf(LockTimeout)
  expect(String((late as LockTimeout).cause)).toContain('Timed out waiting for a connection')
  finish()
  await Promise.all(held)
  await db.close()
}, 60_000)
