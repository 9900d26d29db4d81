import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../db/port.js'
import { openSqlite } from '../../db/sqlite/connection.js'
import { openSqliteDatabase } from '../../db/sqlite/sqlite.js'
import { bundledRates } from './bundled-rates.js'
import { LiveRates, type LiveRatesOptions } from './live-rates.js'
import { ratesStore } from './rates-store.js'

const minute = 60_000
const hour = 60 * minute
const start = Date.parse('2026-11-20T09:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'svc-live-rates-'))
const file = join(folder, 'svc.db')

/** The source: a real server that does as the test says, and counts. */
let server: Server
let url: string
let answer: RequestListener
let fetches: number

let db: Database
let clock: number
const log = { warn: vi.fn<(details: object, message: string) => void>() }

const says =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }
const healthy = (eur: number) => says(JSON.stringify({ date: '2026-11-20', usd: { usd: 1, eur, btc: 0.00001 } }))

const process = (options: Partial<LiveRatesOptions> = {}) =>
  new LiveRates({ url, db, log, now: () => clock, ...options })

const kept = (fetchedAt: number) =>
  vi.waitFor(async () => expect((await ratesStore(db).last())?.fetchedAt).toBe(fetchedAt), {
    interval: 5,
    timeout: 5000,
  })

/** Waits for the writes under way, then leaves no rates behind: to open a database for each test takes too long. */
async function empty() {
  await ratesStore(db).save(bundledRates())
  const handle = openSqlite(file)
  handle.exec('delete from exchange_rates')
  handle.close()
}

beforeAll(async () => {
  db = await openSqliteDatabase(file)
  server = createServer((request, response) => {
    fetches += 1
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/usd.min.json`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  answer = healthy(0.86)
  fetches = 0
  clock = start
  log.warn.mockReset()
  await empty()
})

describe('with a healthy source', () => {
  it('touches no network until it is asked', async () => {
    process()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(fetches).toBe(0)
  })

  it('fetches once for all who ask at the same time, and they all waited', async () => {
    const rates = process()
    const answers = await Promise.all(Array.from({ length: 20 }, () => rates.current()))
    expect(fetches).toBe(1)
    for (const { rates: current, cached } of answers) {
      expect(cached).toBe(false)
      expect(current).toEqual({
        fetchedAt: start,
        perUsd: new Map([
          ['EUR', 0.86],
          ['USD', 1],
        ]),
      })
    }
  })

  it('fetches again after an hour and not before', async () => {
    const rates = process()
    await rates.current()
    answer = healthy(0.9)
    clock = start + hour - 1
    expect(await rates.current()).toMatchObject({ cached: true, rates: { fetchedAt: start } })
    expect(fetches).toBe(1)
    clock = start + hour
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: start + hour } })
    expect((await rates.current()).rates.perUsd.get('EUR')).toBe(0.9)
    expect(fetches).toBe(2)
    expect(log.warn).not.toHaveBeenCalled()
  })

  it('goes on fetching after the clock was set back', async () => {
    const rates = process()
    await rates.current()
    clock = start - 24 * hour
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: clock } })
  })

  it('reads a packed answer', async () => {
    answer = says(gzipSync('{"usd":{"eur":0.5}}'), 200, { 'content-encoding': 'gzip' })
    expect((await process().current()).rates.perUsd.get('EUR')).toBe(0.5)
  })
})

describe('with two processes on one database', () => {
  it('the second takes what the first has fetched', async () => {
    await process().current()
    await kept(start)
    clock = start + 10 * minute
    expect(await process().current()).toMatchObject({ cached: true, rates: { fetchedAt: start } })
    expect(fetches).toBe(1)
  })

  it('the one that ran longer looks there before it fetches', async () => {
    const [first, second] = [process(), process()]
    await first.current()
    clock = start + 2 * hour
    await second.current()
    await kept(clock)
    expect(fetches).toBe(2)
    expect(await first.current()).toMatchObject({ cached: true, rates: { fetchedAt: clock } })
    expect(fetches).toBe(2)
  })

  it('a start without a source serves the rates of the last run under their own time', async () => {
    await process().current()
    await kept(start)
    clock = start + 72 * hour
    answer = says('', 500)
    expect(await process().current()).toMatchObject({ cached: true, rates: { fetchedAt: start } })
  })

  it('rates from the future, written under a wrong clock, are not believed', async () => {
    await ratesStore(db).save({ fetchedAt: start + 48 * hour, perUsd: new Map([['EUR', 9]]) })
    expect((await process().current()).rates.perUsd.get('EUR')).toBe(0.86)
    await kept(start)
  })
})

describe('with a source that', () => {
  const dribble: RequestListener = (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => {
      clearInterval(timer)
    })
  }
  const deadlineMs = 200

  it.each<[string, RequestListener]>([
    ['does not answer', () => undefined],
    ['never comes to an end', dribble],
    ['hangs up', (request) => request.socket.destroy()],
    ['answers 500', says('{"usd":{"eur":9}}', 500)],
    ['answers 404', says('', 404)],
    ['answers a web page', says('<!doctype html><title>Welcome</title>', 200, { 'content-type': 'text/html' })],
    ['answers nothing', says('')],
    ['answers half of it', says('{"usd":{"eur":0.8')],
    ['answers other JSON', says('{"rates":{"EUR":9}}')],
    ['answers negative rates', says('{"usd":{"eur":-9}}')],
    ['answers rates beyond measure', says('{"usd":{"eur":1e999}}')],
    ['answers too much', says(Buffer.alloc(300 * 1024, ' '))],
    ['answers too much, once unpacked', says(gzipSync(Buffer.alloc(5e7)), 200, { 'content-encoding': 'gzip' })],
  ])('%s, the last good rates are served within the deadline, and the log knows', async (_, listener) => {
    const rates = process({ deadlineMs })
    await rates.current()
    await kept(start)
    answer = listener
    clock = start + 5 * hour
    const asked = performance.now()
    const answers = await Promise.all([rates.current(), rates.current()])
    expect(performance.now() - asked).toBeLessThan(deadlineMs + 300)
    for (const { rates: current, cached } of answers) {
      expect({ cached, at: current.fetchedAt, eur: current.perUsd.get('EUR') }).toEqual({
        cached: true,
        at: start,
        eur: 0.86,
      })
    }
    expect(fetches).toBe(2)
    expect(log.warn).toHaveBeenCalledOnce()
    expect((await ratesStore(db).last())?.fetchedAt).toBe(start)
  })

  it('is not there, the bundled rates are served under their own date', async () => {
    const rates = process({ url: 'http://127.0.0.1:9/usd.min.json?key=secret' })
    expect(await rates.current()).toEqual({ rates: bundledRates(), cached: true })
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.any(Error), source: '127.0.0.1:9' },
      'no new exchange rates; the last good ones are served',
    )
  })

  it('failed is asked again after a minute; until then nobody waits for it', async () => {
    answer = () => undefined
    const rates = process({ deadlineMs })
    await rates.current()
    clock = start + minute - 1
    const asked = performance.now()
    for (let i = 0; i < 100; i += 1) await rates.current()
    expect(performance.now() - asked).toBeLessThan(deadlineMs)
    expect(fetches).toBe(1)
    answer = healthy(0.87)
    clock = start + minute
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: clock } })
    expect(fetches).toBe(2)
  })
})

describe('with a database that', () => {
  const broken = (parts: Partial<Database>): Database => Object.assign(Object.create(db) as Database, parts)

  it('fails, rates are fetched all the same', async () => {
    const fail = () => Promise.reject(new Error('disk I/O error'))
    const rates = process({ db: broken({ one: fail, write: fail }) })
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: start } })
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(2))
    expect(log.warn.mock.calls.map(([, message]) => message)).toEqual([
      'the exchange rates that were kept could not be read',
      'the exchange rates could not be kept',
    ])
  })

  it('hangs, the answer comes within the deadline', async () => {
    const rates = process({ db: broken({ one: () => new Promise(() => undefined) }), deadlineMs: 100 })
    expect(await rates.current()).toEqual({ rates: bundledRates(), cached: true })
    expect(fetches).toBe(0)
  })

  it('answers after the deadline, nothing is fetched behind the back of those who asked', async () => {
    const late = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 150))
    await process({ db: broken({ one: late }), deadlineMs: 100 }).current()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(fetches).toBe(0)
  })
})
