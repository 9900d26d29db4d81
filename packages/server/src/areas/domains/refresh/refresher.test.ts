import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closedServer, databaseKinds } from '../../../../test/app.js'
import { rdapDocument, startRdap, type RdapServer } from '../../../../test/registry-servers.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Database } from '../../../db/port.js'
import { openRegistries } from '../../../ports/registry/open-registries.js'
import { portfolioStore } from '../portfolio/store.js'
import { refreshStore } from './refresh-store.js'
import { Refresher } from './refresher.js'
import { nextNight } from './schedule.js'
import { registrySync } from './sync.js'

const hour = 60 * 60_000
const day = 24 * hour

/** The refresh of due domains, with a clock that the tests set, on real databases and with a real RDAP server. */
describe.each(databaseKinds)('the refresh of domains on %s', (kind) => {
  let site: TwoProcesses
  let rdap: RdapServer
  let log: string[]
  let clock: number
  const open: { close: () => Promise<void> }[] = []

  beforeAll(async () => {
    site = await twoProcesses(kind)
    rdap = await startRdap()
  })
  afterAll(async () => {
    await site.stop()
    await rdap.stop()
  })
  beforeEach(async () => {
    log = []
    // At noon, so that all domains are planned for the same night. Later than the real clock, by which new domains are due.
    clock = Math.ceil(Date.now() / day) * day + 12 * hour
    rdap.requests.length = 0
    rdap.respond = undefined
    for (const table of ['domain', 'registration']) await runSql(site.config, `delete from ${table}`)
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((port) => port.close()))
  })

  /** The parts of a server that refresh domains. */
  const startProcess = (db: Database = site.db, pauseMs = 0, runMs?: number) => {
    const logger = pino({}, { write: (line: string) => void log.push(line) })
    const registries = openRegistries({ db, log: logger, allowed: [], rdapUrl: rdap.url, whois: closedServer })
    open.push(registries)
    const now = () => clock
    const refreshes = refreshStore(db, now)
    const sync = registrySync({ registries, refreshes, now })
    const { job } = new Refresher({
      refreshes,
      sync,
      log: logger,
      now,
      pauseMs,
      ...(runMs === undefined ? {} : { runMs }),
    })
    return { sync, run: (signal = new AbortController().signal) => job.run(signal) }
  }
  const add = async (...names: string[]) => {
    for (const name of names) rdap.documents.set(name, rdapDocument(name))
    await portfolioStore(site.db, 10_000).add(site.people[0]!, names)
  }
  const plans = async () => {
    const rows = await runSql(site.config, 'select name, due_at, failures from domain order by name')
    return rows.map(({ name, due_at, failures }) => ({
      name: String(name),
      dueIn: Number(due_at) - clock,
      failures: Number(failures),
    }))
  }
  /** The domains of the look-ups since the last call. */
  const asked = () => rdap.requests.splice(0).map((path) => path.slice(path.lastIndexOf('/') + 1))
  const send = (response: ServerResponse, path: string) => {
    response.end(JSON.stringify(rdapDocument(path.slice(path.lastIndexOf('/') + 1))))
  }

  it('asks for new domains at once, then once in each night at their minute, also after a restart', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `night-${String(n)}.com`).sort()
    await add(...names)
    await startProcess().run()
    expect(asked().sort()).toEqual(names)
    expect((await plans()).map(({ dueIn }) => dueIn)).toEqual(names.map((name) => nextNight(name, clock) - clock))

    const middle = clock + 15 * hour
    const [early, late] = [true, false].map((isEarly) =>
      names.filter((name) => nextNight(name, clock) <= middle === isEarly),
    ) as [string[], string[]]
    expect([early.length, late.length].every((count) => count > 2)).toBe(true)
    for (const [at, expected] of [
      [middle, early],
      [middle, []],
      [middle + 3 * hour, late],
      [middle + 4 * hour, []],
      // The server was down for two nights.
      [middle + 2.5 * day, names],
    ] as const) {
      clock = at
      await startProcess().run()
      expect(asked().sort()).toEqual(expected)
    }
  })

  it('asks one registry for one domain at a time with a pause between, and others meanwhile', async () => {
    await add('a.com', 'b.com', 'c.com', 'a.net')
    const times: { tld: string; begins: number; ends: number }[] = []
    const held: (() => void)[] = []
    rdap.respond = ({ url = '' }, response) => {
      const entry = { tld: url.slice(-3), begins: performance.now(), ends: Infinity }
      times.push(entry)
      held.push(() => {
        entry.ends = performance.now()
        send(response, url)
      })
      // The first look-ups are answered when both registries have been asked.
      if (times.length > 1) for (const answer of held.splice(0)) answer()
    }
    await startProcess(site.db, 150).run()
    const ofCom = times.filter(({ tld }) => tld === 'com')
    expect([ofCom.length, times.length]).toEqual([3, 4])
    for (const [n, { begins }] of ofCom.slice(1).entries()) expect(begins - ofCom[n]!.ends).toBeGreaterThan(140)
    expect(new Set(times.slice(0, 2).map(({ tld }) => tld))).toEqual(new Set(['com', 'net']))
  })

  it('takes up domains that are added during a run', async () => {
    await add('early.com')
    rdap.respond = ({ url = '' }, response) => {
      rdap.respond = undefined
      void add('late.net', 'late.com').then(() => {
        send(response, url)
      })
    }
    await startProcess().run()
    expect(asked()[0]).toBe('early.com')
    expect((await plans()).every(({ dueIn }) => dueIn > 0)).toBe(true)
  })

  it('repeats a failed refresh after an hour, then twice as long each time, until it succeeds', async () => {
    await add('down.com')
    rdap.respond = (_request, response) => response.writeHead(500).end()
    const waits: number[] = []
    for (let n = 0; n < 6; n++) {
      await startProcess().run()
      const dueIn = (await plans())[0]?.dueIn ?? NaN
      waits.push(dueIn / hour)
      clock += dueIn - 1
      await startProcess().run()
      expect((await plans())[0]).toMatchObject({ dueIn: 1, failures: n + 1 })
      clock += 1
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 24])
    rdap.respond = undefined
    await runSql(site.config, 'delete from registration')
    await startProcess().run()
    expect(await plans()).toEqual([{ name: 'down.com', dueIn: nextNight('down.com', clock) - clock, failures: 0 }])
  })

  it('a clock that is set forward and back: every domain is asked once each time, and planned for the next night', async () => {
    const names = ['a.com', 'b.com', 'c.com']
    await add(...names)
    await startProcess().run()
    asked()
    for (const jump of [5 * 365 * day, -5 * 365 * day]) {
      clock += jump
      await startProcess().run()
      expect(asked().sort()).toEqual(names)
      for (const { dueIn } of await plans()) expect([dueIn > 0, dueIn < 2 * day]).toEqual([true, true])
    }
  })

  it('a run begins no look-up after its time, and the next run continues', async () => {
    await add('a.com', 'b.com', 'c.com')
    rdap.respond = ({ url = '' }, response) => {
      setTimeout(() => {
        send(response, url)
      }, 250)
    }
    const { run } = startProcess(site.db, 0, 200)
    for (const count of [1, 2, 3]) {
      await run()
      expect((await plans()).filter(({ dueIn }) => dueIn > 0)).toHaveLength(count)
      expect(rdap.requests).toHaveLength(count)
    }
  })

  it.each(['new', 'known'])('ends at a stop although the registry of a %s domain does not answer', async (state) => {
    await add('silent.com', 'other.net')
    if (state === 'known') {
      await startProcess().run()
      clock += 2 * day
    }
    const stopping = new AbortController()
    rdap.respond = () => {
      stopping.abort()
    }
    await startProcess().run(stopping.signal)
    expect((await plans()).every(({ failures }) => failures === 0)).toBe(true)
  })

  it('a domain whose data cannot be saved is logged and repeated later, and others go on', async () => {
    await add('damaged.com', 'fine.com')
    await startProcess().run()
    await runSql(site.config, `update domain set registration = '{' where name = 'damaged.com'`)
    clock += 2 * day
    await startProcess().run()
    expect(log.map((line) => (JSON.parse(line) as { msg: string; domain?: string }).domain)).toEqual(['damaged.com'])
    expect(await plans()).toMatchObject([
      { name: 'damaged.com', dueIn: hour, failures: 1 },
      { name: 'fine.com', failures: 0 },
    ])
  })

  it('fails as a job, and only so, when the outcomes of its look-ups cannot be saved', async () => {
    await add('first.com', 'second.net')
    const rename = (from: string, to: string) =>
      runSql(site.config, `alter table domain rename column ${from} to ${to}`)
    let breaking: Promise<unknown> | undefined
    rdap.respond = (_request, response) => {
      breaking ??= rename('failures', 'gone')
      void breaking.then(() => response.writeHead(500).end())
    }
    await expect(startProcess().run()).rejects.toThrow()
    await rename('gone', 'failures')
    expect((await plans()).map(({ failures }) => failures)).toEqual([0, 0])
  })

  it('parallel refreshes of a domain in two processes make one look-up', async () => {
    await add('shared.com')
    const [one, other] = [startProcess(), startProcess(site.otherDb)]
    const answers = [one, one, other, other].map(({ sync }) => sync.refresh('shared.com'))
    expect(new Set((await Promise.all(answers)).map(({ fetchedAt }) => fetchedAt)).size).toBe(1)
    expect(asked()).toEqual(['shared.com'])
  })
})
