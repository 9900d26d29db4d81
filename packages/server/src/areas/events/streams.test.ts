import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { eventAreas } from '@svc/contract/events'
import { postgresSession } from '../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import type { Database } from '../../db/port.js'
import type { EventConnection } from '../../http/answer.js'
import type { Account, Caller } from '../../shared/account.js'
import { tokenStore } from '../account/tokens/store.js'
import { EventStreams } from './streams.js'

/** A connection whose client reads only if the test lets it. */
class FakeConnection implements EventConnection {
  isOpen = true
  unsent = 0
  text = ''
  isDropped = false
  isReading = true
  authenticate: () => Promise<Caller>
  readonly #ends: (() => void)[] = []

  constructor(caller: Caller) {
    this.authenticate = () => Promise.resolve(caller)
  }

  write(bytes: Buffer): void {
    if (!this.isOpen) return
    this.text += bytes.toString()
    if (!this.isReading) this.unsent += bytes.length
  }

  drained = () => Promise.resolve()

  end(): void {
    this.isOpen = false
    for (const run of this.#ends.splice(0)) run()
  }

  drop(): void {
    this.isDropped = true
    this.end()
  }

  onEnd(run: () => void): void {
    this.#ends.push(run)
  }
}

let site: TwoProcesses
let db: Database
let streams: EventStreams
let lines: string[] = []
beforeAll(async () => {
  site = await twoProcesses('sqlite')
  db = site.db
})
afterAll(() => site.stop())
beforeEach(() => {
  lines = []
  streams = streamsOn(db)
})
afterEach(() => {
  streams.stop()
})

const streamsOn = (database: Pick<Database, 'one' | 'all' | 'commitNumber' | 'writes'>, keptEvents?: number) =>
  new EventStreams({ db: database, keptEvents, log: pino({}, { write: (line: string) => void lines.push(line) }) })

const callerOf = (account: Account): Caller => ({ account, scopes: ['*'], session: null, tokenId: null })
const read = () => streams.job.run(new AbortController().signal)

async function open(account = site.people[0]!, lastId?: number): Promise<FakeConnection> {
  const caller = callerOf(account)
  const connection = new FakeConnection(caller)
  const opened = streams.open(connection, { caller, areas: eventAreas, lastId })
  await read()
  await opened
  return connection
}

const events = ({ text }: FakeConnection) => text.split('\ndata: ').length - 1
const happen = (name: string, account = site.people[0]!) => tokenStore(db).create(account, name, ['dns:read'])

it('drops a client that does not read, and lets the others go on', async () => {
  const [slow, good] = [await open(), await open()]
  slow.isReading = false
  for (let i = 0; i < 400 && slow.isOpen; i++) {
    await happen(String(i).padEnd(60, 'n'))
    await read()
  }
  expect([slow.isDropped, good.isOpen]).toEqual([true, true])
  expect(slow.unsent).toBeGreaterThan(64 * 1024)
  expect(slow.unsent).toBeLessThan(65 * 1024)
  expect(events(good)).toBeGreaterThanOrEqual(events(slow))
})

it('sends an event to the streams of its account only', async () => {
  const [own, foreign] = [await open(), await open(site.people[1])]
  await happen('of the first')
  await read()
  expect([events(own), events(foreign)]).toEqual([1, 0])
})

it('reads what other processes have committed within 200 ms', () => {
  expect(streams.job.everyMs).toBeLessThanOrEqual(200)
})

it('tells a client that events behind its last one may be missing, if it is behind by all that are kept', async () => {
  const account = site.people[0]!
  const first = await open()
  await happen('behind 1')
  await happen('behind 2')
  await read()
  const last = Number(/id: (\d+)/.exec(first.text)?.[1])
  streams.stop()
  streams = streamsOn(db, 2)
  expect((await open(account, last)).text).toContain('event: reset')
  expect((await open(account, last + 1)).text).not.toContain('event: reset')
})

it('ends all streams at the stop, and begins none afterwards', async () => {
  const before = await open()
  const waiting = new FakeConnection(callerOf(site.people[0]!))
  streams.stop()
  await streams.open(waiting, { caller: callerOf(site.people[0]!), areas: eventAreas, lastId: undefined })
  expect([before.isOpen, waiting.isOpen, waiting.text]).toEqual([false, false, ''])
})

it('ends streams at the stop that wait for the reader', async () => {
  const waiting = new FakeConnection(callerOf(site.people[0]!))
  const opened = streams.open(waiting, { caller: callerOf(site.people[0]!), areas: eventAreas, lastId: undefined })
  streams.stop()
  await opened
  expect(waiting.isOpen).toBe(false)
})

it('forgets a client that leaves before its stream has begun', async () => {
  const caller = callerOf(site.people[0]!)
  const connection = new FakeConnection(caller)
  const opened = streams.open(connection, { caller, areas: eventAreas, lastId: undefined })
  connection.end()
  const other = await open()
  await opened
  await happen('later')
  await read()
  expect([connection.text, events(other)]).toEqual(['', 1])
  for (let i = 0; i < 49; i++) await open()
  await expect(open()).rejects.toThrow('The account has 50 open streams of events')
})

it('refuses more than 1,000 streams of all accounts', async () => {
  for (const account of site.people.slice(0, 20)) for (let i = 0; i < 50; i++) await open(account)
  const refused = open(site.people[20])
  await expect(refused).rejects.toThrow(ApiError)
  await expect(refused).rejects.toThrow('The server has 1000 open streams of events, as many as it may have.')
})

describe('on a database that fails', () => {
  let isFailing: boolean
  beforeEach(() => {
    isFailing = false
    const away = () => Promise.reject(new Error('away'))
    const failing: Pick<Database, 'one' | 'all' | 'commitNumber' | 'writes'> = {
      one: (query, params) => (isFailing ? away() : db.one(query, params)),
      all: (query, params) => (isFailing ? away() : db.all(query, params)),
      commitNumber: () => undefined,
      writes: db.writes,
    }
    streams = streamsOn(failing)
  })

  it('rejects a stream if the reader cannot begin', async () => {
    isFailing = true
    const caller = callerOf(site.people[0]!)
    const refused = streams.open(new FakeConnection(caller), { caller, areas: eventAreas, lastId: undefined })
    await Promise.all([expect(read()).rejects.toThrow('away'), expect(refused).rejects.toThrow('away')])
  })

  it('ends a stream whose past cannot be read, so that its client comes back', async () => {
    await happen('past')
    const live = await open()
    const caller = callerOf(site.people[0]!)
    const connection = new FakeConnection(caller)
    const write = connection.write.bind(connection)
    connection.write = (bytes) => {
      write(bytes)
      isFailing = true
    }
    await streams.open(connection, { caller, areas: eventAreas, lastId: 1 })
    await expect.poll(() => connection.isOpen).toBe(false)
    expect(live.isOpen).toBe(true)
    expect(lines.join('')).toContain('past events could not be read')
  })
})

describe('a transaction on PostgreSQL that has changed the events and does not end', () => {
  let postgres: TwoProcesses
  let holder: Awaited<ReturnType<typeof postgresSession>>
  let pid: number
  beforeAll(async () => {
    postgres = await twoProcesses('postgres')
    holder = await postgresSession((postgres.config as { readonly url: string }).url)
    const [row] = await holder.query('select pg_backend_pid() as pid')
    pid = Number(row?.['pid'])
  })
  beforeEach(() => {
    streams = streamsOn(postgres.db)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await holder.query('rollback')
  })
  afterAll(async () => {
    await holder[Symbol.asyncDispose]()
    await postgres.stop()
  })

  const hold = () =>
    holder.query(`begin; insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
      values (1, 1, 'account', 'sign_in', '', 'session', 'console')`)
  const logged = () => lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly pids: number[] })
  const waiting = { msg: 'events wait for transactions that have changed account_event and do not end' }

  it('ends the wait of a new stream after ten seconds with an error, and the log names its process', async () => {
    await hold()
    const caller = callerOf(postgres.people[0]!)
    const opened = streams.open(new FakeConnection(caller), { caller, areas: eventAreas, lastId: undefined })
    const refused = expect(opened).rejects.toThrow('The stream of events cannot begin now. Try again later.')
    await read()
    await read()
    expect(lines).toEqual([])
    vi.advanceTimersByTime(10_000)
    await refused
    expect(logged()).toMatchObject([{ ...waiting, pids: [pid] }])
    await holder.query('rollback')
    expect((await open(postgres.people[0])).isOpen).toBe(true)
  })

  it('is logged once a minute while open streams wait for it, and they go on when it ends', async () => {
    const stream = await open(postgres.people[0])
    await hold()
    await tokenStore(postgres.db).create(postgres.people[0]!, 'held', ['dns:read'])
    for (const seconds of [0, 9, 1, 1, 58, 2]) {
      vi.advanceTimersByTime(seconds * 1_000)
      await read()
    }
    expect(logged()).toMatchObject([
      { ...waiting, pids: [pid] },
      { ...waiting, omitted: 2 },
    ])
    expect(events(stream)).toBe(0)
    await holder.query('rollback')
    await read()
    expect(events(stream)).toBe(1)
  })
})

describe('with a clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  async function pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      vi.advanceTimersByTime(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const comments = ({ text }: FakeConnection) => text.split(': keep-alive\n\n').length - 1

  it('sends a comment every 20 seconds to each stream, but not to a client that has not read the last one', async () => {
    const many: FakeConnection[] = []
    for (let i = 0; i < 30; i++) many.push(await open())
    many[0]!.isReading = false
    await pass(100)
    expect(many.map(comments)).toEqual([1, ...Array.from({ length: 29 }, () => 5)])
  })

  it('authenticates each caller within 13 seconds, at most 250 at once', async () => {
    let inTick = 0
    let most = 0
    const calls = new Map<FakeConnection, number>()
    for (const account of site.people.slice(0, 20))
      for (let i = 0; i < 50; i++) {
        const connection = await open(account)
        const { authenticate } = connection
        connection.authenticate = () => {
          most = Math.max(most, ++inTick)
          calls.set(connection, (calls.get(connection) ?? 0) + 1)
          return authenticate()
        }
      }
    for (let second = 0; second < 13; second++) {
      inTick = 0
      await pass(1)
    }
    expect([calls.size, most]).toEqual([1_000, 250])
  })

  it('keeps a stream for some seconds while the database fails, and ends it before 15 seconds have passed', async () => {
    const [brief, long] = [await open(), await open()]
    for (const connection of [brief, long]) {
      const { authenticate } = connection
      let failures = 0
      connection.authenticate = () =>
        failures++ < (connection === brief ? 3 : Infinity) ? Promise.reject(new Error('away')) : authenticate()
    }
    await pass(12)
    expect([brief.isOpen, long.isOpen]).toEqual([true, true])
    await pass(2)
    expect([brief.isOpen, long.isOpen]).toEqual([true, false])
  })

  it('authenticates a caller once at a time', async () => {
    const connection = await open()
    let calls = 0
    connection.authenticate = () => {
      calls++
      return new Promise(() => undefined)
    }
    await pass(12)
    expect(calls).toBe(1)
    await pass(2)
    expect(connection.isOpen).toBe(false)
  })
})
