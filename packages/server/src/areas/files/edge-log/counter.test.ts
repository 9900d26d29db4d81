import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Batch } from '../../../shared/write-batch.js'
import { newShareKey } from '../files/file.js'
import { fileStore } from '../files/store.js'
import { cdnStore } from '../sharing/cdn-store.js'
import type { Traffic } from '../sharing/traffic-counts.js'
import { trafficStore } from '../sharing/traffic-store.js'
import { LogCounter, type CounterOptions } from './counter.js'

const never = new AbortController().signal

const lineOf = (key: string, source = 'hit') => `GET\tcontent.example\t/s/${key}/a\t200\t5\t${source}\n`

async function* chunksOf(...chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

const counterWith = (save: CounterOptions['save'], rest: Partial<CounterOptions> = {}) =>
  new LogCounter({
    isContentHost: (host) => host === 'content.example',
    save,
    saveEveryMs: 20,
    onFailure: () => undefined,
    onMalformed: () => undefined,
    ...rest,
  })

describe.each(databaseKinds)('counts from a log on %s', (kind) => {
  let site: FileStorage
  beforeEach(async () => {
    site = await fileStorage(kind)
  })
  afterEach(() => site.stop())

  const create = async () => {
    const details = { name: 'a', mediaType: 'text/plain', shareKey: newShareKey(), size: 0, sha256: 'x', blob: null }
    const { id, shareKey } = await fileStore(site.db, noLimits).create(site.people[0]!, details)
    return { id, shareKey: shareKey! }
  }
  const countsOf = async (id: number) => {
    const { entries } = await cdnStore(site.db).list(site.people[0]!, { limit: 10, before: Number.MAX_SAFE_INTEGER })
    return entries.find((file) => file.id === id)?.traffic
  }

  it('counts from a log are added to those of the files; unknown links are ignored', async () => {
    const [first, second, silent] = [await create(), await create(), await create()]
    await trafficStore(site.db).add([[first.id, { requests: 1, hits: 0, misses: 1, bytesServed: 7 }]])
    const malformed: string[] = []
    const counter = counterWith(trafficStore(site.db).addForLinks, { onMalformed: (line) => malformed.push(line) })
    const log = [
      ...[lineOf(first.shareKey, 'miss'), lineOf(first.shareKey), lineOf(second.shareKey), lineOf(newShareKey())],
      ...['junk\n', 'GET\tother.example\t/s/x/a\t200\t5\thit\n'],
    ]
    await counter.read(chunksOf(log.join('')), never)
    await counter.finish(0)
    expect(counter.tally).toEqual({ counted: 3, unknown: 1, other: 1, malformed: 1, unsaved: 0 })
    expect(malformed).toEqual(['junk'])
    expect(await countsOf(first.id)).toEqual({ requests: 3, hits: 1, misses: 2, bytesServed: 17 })
    expect(await countsOf(second.id)).toEqual({ requests: 1, hits: 1, misses: 0, bytesServed: 5 })
    expect(await countsOf(silent.id)).toEqual({ requests: 0, hits: 0, misses: 0, bytesServed: 0 })
  })

  it('counts are saved beside those of a key that PostgreSQL refuses as text', async () => {
    const { id, shareKey } = await create()
    const counter = counterWith(trafficStore(site.db).addForLinks)
    await counter.read(chunksOf(lineOf('%00') + lineOf(shareKey)), never)
    await counter.finish(0)
    expect(counter.tally).toMatchObject({ counted: 1, unknown: 1, unsaved: 0 })
    expect(await countsOf(id)).toMatchObject({ requests: 1 })
  })

  it('10,000 lines of as many links are saved in one unit', async () => {
    const { id, shareKey } = await create()
    const counter = counterWith(trafficStore(site.db).addForLinks)
    const others = Array.from({ length: 9_999 }, (_, index) => lineOf(`unknown-${index}`)).join('')
    await counter.read(chunksOf(others + lineOf(shareKey)), never)
    await counter.finish(0)
    expect(counter.tally).toMatchObject({ counted: 1, unknown: 9_999 })
    expect(await countsOf(id)).toMatchObject({ requests: 1 })
  })
})

describe('saving', () => {
  const requestsIn = (batch: Batch<Traffic, string>) => batch.reduce((sum, [, { requests }]) => sum + requests, 0)

  it('counts are saved while the log goes on, and at once after 10,000 lines', async () => {
    const saved: number[] = []
    const save = (batch: Batch<Traffic, string>) => {
      saved.push(requestsIn(batch))
      return Promise.resolve(requestsIn(batch))
    }
    const counter = counterWith(save, { saveEveryMs: 2_000 })
    async function* endless() {
      yield Buffer.from(lineOf('a').repeat(10_000))
      expect(saved).toEqual([10_000])
      yield Buffer.from(lineOf('a'))
      expect(saved).toEqual([10_000])
      await vi.waitFor(() => expect(saved).toEqual([10_000, 1]), 5_000)
    }
    await counter.read(endless(), never)
    expect(counter.tally.counted).toBe(10_001)
  })

  it('a failed save is tried again, without a lost or a repeated line, and is reported once', async () => {
    let isAway = true
    const saved: Batch<Traffic, string>[] = []
    const failures: unknown[] = []
    const save = (batch: Batch<Traffic, string>) => {
      if (isAway) return Promise.reject(new Error('away'))
      saved.push(batch)
      return Promise.resolve(requestsIn(batch))
    }
    const counter = counterWith(save, { onFailure: (error) => failures.push(error) })
    async function* log() {
      yield Buffer.from(lineOf('a') + lineOf('b'))
      await sleep(100)
      yield Buffer.from(lineOf('a'))
      await sleep(100)
      isAway = false
    }
    await counter.read(log(), never)
    await counter.finish(1_000)
    expect(failures).toEqual([new Error('away')])
    expect(saved.flat().map(([key, { requests }]) => [key, requests])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(counter.tally).toMatchObject({ counted: 3, unsaved: 0 })
  })

  it('a save that keeps failing stops the reading at 10,000 links, not at 10,000 lines', async () => {
    let isAway = true
    let chunks = 0
    const counter = counterWith((batch) =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(requestsIn(batch)),
    )
    async function* log() {
      for (; chunks < 20; chunks++) yield Buffer.from(lineOf('same').repeat(1_000))
      for (; chunks < 60; chunks++)
        yield Buffer.from(Array.from({ length: 500 }, (_, index) => lineOf(`${chunks}-${index}`)).join(''))
    }
    const reading = counter.read(log(), never)
    await vi.waitFor(() => expect(chunks).toBeGreaterThanOrEqual(39), 5_000)
    await sleep(200)
    expect(chunks).toBeLessThan(41)
    isAway = false
    await reading
    await counter.finish(1_000)
    expect(counter.tally).toMatchObject({ counted: 40_000, unsaved: 0 })
  })

  it('a save gives up at the end of its time, and says how many requests are not saved', async () => {
    const counter = counterWith(() => Promise.reject(new Error('away')))
    await counter.read(chunksOf(lineOf('a')), never)
    const from = performance.now()
    await counter.finish(100)
    expect(performance.now() - from).toBeLessThan(1_000)
    expect(counter.tally).toMatchObject({ counted: 0, unsaved: 1 })
  })

  it('a signal ends the wait for the database, while the log is read and after it', async () => {
    const counter = counterWith(() => Promise.reject(new Error('away')))
    const full = Array.from({ length: 10_000 }, (_, index) => lineOf(String(index))).join('')
    await counter.read(chunksOf(full), AbortSignal.timeout(100))
    const from = performance.now()
    await counter.finish(60_000, AbortSignal.timeout(100))
    expect(performance.now() - from).toBeLessThan(5_000)
    expect(counter.tally.unsaved).toBe(10_000)
  })
})
