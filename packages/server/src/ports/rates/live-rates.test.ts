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

/** The source: a real server with an answer that the test sets. It counts requests. */
let server: Server
let url: string
let answer: RequestListener
let fetches: number

let db: Database
let clock: number
const log = { warn: vi.fn<(details: object, message: string) => void>() }

const answering =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }
const healthy = (eur: number) => answering(JSON.stringify({ date: '2026-11-20', usd: { usd: 1, eur, btc: 0.00001 } }))

const liveRates = (options: Partial<LiveRatesOptions> = {}) =>
  new LiveRates({ url, db, log, now: () => clock, ...options })

const saved = (fetchedAt: number) =>
  vi.waitFor(async () => expect((await ratesStore(db).last())?.fetchedAt).toBe(fetchedAt), {
    interval: 5,
    timeout: 5000,
  })

/** Waits for running writes, then deletes the rates: opening a database for each test would take too long. */
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
  it('does not use the network before the first call', async () => {
    liveRates()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(fetches).toBe(0)
  })

  it('concurrent calls share one fetch, and all of them wait for it', async () => {
    const rates = liveRates()
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

  it('fetches again after an hour, and not before', async () => {
    const rates = liveRates()
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

  it('fetches again after the clock was set back', async () => {
    const rates = liveRates()
    await rates.current()
    clock = start - 24 * hour
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: clock } })
  })

  it('reads a compressed answer', async () => {
    answer = answering(gzipSync('{"usd":{"eur":0.5}}'), 200, { 'content-encoding': 'gzip' })
    expect((await liveRates().current()).rates.perUsd.get('EUR')).toBe(0.5)
  })
})

describe('with two processes on one database', () => {
  it('the second uses the rates that the first has fetched', async () => {
    await liveRates().current()
    await saved(start)
    clock = start + 10 * minute
    expect(await liveRates().current()).toMatchObject({ cached: true, rates: { fetchedAt: start } })
    expect(fetches).toBe(1)
  })

  it('the older process checks the database before it fetches', async () => {
    const [first, second] = [liveRates(), liveRates()]
    await first.current()
    clock = start + 2 * hour
    await second.current()
    await saved(clock)
    expect(fetches).toBe(2)
    expect(await first.current()).toMatchObject({ cached: true, rates: { fetchedAt: clock } })
    expect(fetches).toBe(2)
  })

  it('a start without the source serves the rates of the last run with their original time', async () => {
    await liveRates().current()
    await saved(start)
    clock = start + 72 * hour
    answer = answering('', 500)
    expect(await liveRates().current()).toMatchObject({ cached: true, rates: { fetchedAt: start } })
  })

  it('rates with a time in the future, saved with a wrong clock, are ignored', async () => {
    await ratesStore(db).save({ fetchedAt: start + 48 * hour, perUsd: new Map([['EUR', 9]]) })
    expect((await liveRates().current()).rates.perUsd.get('EUR')).toBe(0.86)
    await saved(start)
  })
})

describe('a failing source', () => {
  const dribble: RequestListener = (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => {
      clearInterval(timer)
    })
  }
  const deadlineMs = 200

  it.each<[string, RequestListener]>([
    ['that does not answer', () => undefined],
    ['with an endless answer', dribble],
    ['that closes the connection', (request) => request.socket.destroy()],
    ['that answers 500', answering('{"usd":{"eur":9}}', 500)],
    ['that answers 404', answering('', 404)],
    ['that answers HTML', answering('<!doctype html><title>Welcome</title>', 200, { 'content-type': 'text/html' })],
    ['that answers an empty body', answering('')],
    ['that answers truncated JSON', answering('{"usd":{"eur":0.8')],
    ['that answers JSON in another layout', answering('{"rates":{"EUR":9}}')],
    ['that answers negative rates', answering('{"usd":{"eur":-9}}')],
    ['that answers infinite rates', answering('{"usd":{"eur":1e999}}')],
    ['that answers too many bytes', answering(Buffer.alloc(300 * 1024, ' '))],
    ['that answers a gzip bomb', answering(gzipSync(Buffer.alloc(5e7)), 200, { 'content-encoding': 'gzip' })],
  ])(
    'a source %s: the last valid rates are served within the deadline, and a warning is logged',
    async (_, listener) => {
      const rates = liveRates({ deadlineMs })
      await rates.current()
      await saved(start)
      answer = listener
      clock = start + 5 * hour
      const began = performance.now()
      const answers = await Promise.all([rates.current(), rates.current()])
      expect(performance.now() - began).toBeLessThan(deadlineMs + 300)
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
    },
  )

  it('the source is unreachable: the bundled rates are served with their own date', async () => {
    const rates = liveRates({ url: 'http://127.0.0.1:9/usd.min.json?key=secret' })
    expect(await rates.current()).toEqual({ rates: bundledRates(), cached: true })
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.any(Error), source: '127.0.0.1:9' },
      'no new exchange rates; the last good ones are served',
    )
  })

  it('the source has failed: calls do not wait for it, and the next fetch is a minute later', async () => {
    answer = () => undefined
    const rates = liveRates({ deadlineMs })
    await rates.current()
    clock = start + minute - 1
    const began = performance.now()
    for (let i = 0; i < 100; i += 1) await rates.current()
    expect(performance.now() - began).toBeLessThan(deadlineMs)
    expect(fetches).toBe(1)
    answer = healthy(0.87)
    clock = start + minute
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: clock } })
    expect(fetches).toBe(2)
  })
})

describe('a failing database', () => {
  const broken = (parts: Partial<Database>): Database => Object.assign(Object.create(db) as Database, parts)

  it('the database fails: rates are still fetched', async () => {
    const fail = () => Promise.reject(new Error('disk I/O error'))
    const rates = liveRates({ db: broken({ one: fail, write: fail }) })
    expect(await rates.current()).toMatchObject({ cached: false, rates: { fetchedAt: start } })
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(2))
    expect(log.warn.mock.calls.map(([, message]) => message)).toEqual([
      'the saved exchange rates could not be read',
      'the exchange rates could not be saved',
    ])
  })

  it('the database hangs: the bundled rates are served within the deadline', async () => {
    const rates = liveRates({ db: broken({ one: () => new Promise(() => undefined) }), deadlineMs: 100 })
    expect(await rates.current()).toEqual({ rates: bundledRates(), cached: true })
    expect(fetches).toBe(0)
  })

  it('the database answers after the deadline: nothing is fetched for callers that already have an answer', async () => {
    const late = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 150))
    await liveRates({ db: broken({ one: late }), deadlineMs: 100 }).current()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(fetches).toBe(0)
  })
})
