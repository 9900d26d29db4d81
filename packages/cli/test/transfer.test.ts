import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lateBodyMessage } from '@svc/contract'
import { NoAnswerError, SvcError } from '@svc/client'
import { fileNameOf } from '../src/transfer/file-name.js'
import { inLanes } from '../src/transfer/lanes.js'
import { inParts, partBytesOf, partCountOf, partLengthOf } from '../src/transfer/parts.js'
import { Patience } from '../src/transfer/patience.js'
import { barText, summary } from '../src/transfer/progress.js'
import { bytesText, durationText, Speedometer } from '../src/transfer/quantities.js'

const mebibyte = 2 ** 20

describe('the parts of a file', () => {
  it.each([
    [0, 8],
    [8 * mebibyte * 10_000, 8],
    [8 * mebibyte * 10_000 + 1, 9],
    [64 * mebibyte * 10_000, 64],
  ])('%i bytes are sent in parts of %i MiB, at most 10,000 of them', (size, mebibytes) => {
    const partBytes = partBytesOf(size)!
    expect(partBytes).toBe(mebibytes * mebibyte)
    expect(partCountOf(size, partBytes)).toBeLessThanOrEqual(10_000)
  })

  it('a file beyond 10,000 parts of 64 MiB has no part length', () => {
    expect(partBytesOf(64 * mebibyte * 10_000 + 1)).toBeUndefined()
  })

  it.each([
    [0, [0]],
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [20, [10, 10]],
  ])('a file of %i bytes has parts of %j bytes', (size, lengths) => {
    const indexes = Array.from({ length: partCountOf(size, 10) }, (_, index) => index)
    expect(indexes.map((index) => partLengthOf(size, 10, index))).toEqual(lengths)
  })
})

describe('the parts of a stream', () => {
  const lengthsOf = async (chunks: readonly number[]) => {
    const bytes = Buffer.from(Array.from({ length: chunks.reduce((a, b) => a + b, 0) }, (_, i) => i))
    async function* stream() {
      let position = 0
      for (const length of chunks) yield bytes.subarray(position, (position += length))
    }
    const parts: Buffer[] = []
    for await (const part of inParts(stream(), 10)) parts.push(part)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    return parts.map(({ length }) => length)
  }

  it.each([
    [[], [0]],
    [[0], [0]],
    [[3], [3]],
    [[10], [10]],
    [
      [3, 4, 5],
      [10, 2],
    ],
    [[25], [10, 10, 5]],
    [
      [10, 10],
      [10, 10],
    ],
    [
      [5, 25, 0],
      [10, 10, 10],
    ],
  ])('chunks of %j bytes become parts of %j bytes', async (chunks, parts) =>
    expect(await lengthsOf(chunks)).toEqual(parts),
  )
})

describe('the name of a download', () => {
  it.each([
    ['attachment; filename="notes.txt"', 'notes.txt'],
    ['attachment; filename=notes.txt', 'notes.txt'],
    ['attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
    [`attachment; filename="gr?n.txt"; filename*=UTF-8''gr%C3%BCn.txt`, 'grün.txt'],
    [`attachment; filename="plain.txt"; filename*=UTF-8''%FF`, 'plain.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    [String.raw`attachment; filename="C:\\x\\y.txt"`, 'y.txt'],
    [`attachment; filename*=UTF-8''..%2F..%2F.bashrc`, '_bashrc'],
    [`attachment; filename*=UTF-8''a%1B%5B2J%0Ab%E2%80%AEc`, 'a_[2J_b_c'],
    ['attachment; filename=".."', '_'],
    ['attachment; filename=""', 'download'],
    ['attachment; filename="a/"', 'download'],
    ['attachment', 'download'],
    [null, 'download'],
  ])('%s is saved as %s', (header, name) => expect(fileNameOf(header)).toBe(name))

  it('the name of a download is found in linear time', () => {
    const startedAt = process.cpuUsage()
    for (const unit of ['; ', '; filename="', "; filename*=UTF-8'", '\\"', '..']) fileNameOf(unit.repeat(100_000))
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(500)
  })
})

describe('quantities', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 * 1024 - 1, '1.0 MiB'],
    [100 * mebibyte, '100.0 MiB'],
    [2 ** 40 * 5000, '5000.0 TiB'],
  ])('%i bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

  it.each([
    [0, '0:00'],
    [6.2, '0:07'],
    [750, '12:30'],
    [3723, '1:02:03'],
    [Infinity, '-:--'],
    [NaN, '-:--'],
  ])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

  it('the speed is that of the last ten seconds', () => {
    const speedometer = new Speedometer(0)
    expect(speedometer.measure(0, 0)).toBe(0)
    expect(speedometer.measure(1000, 1000)).toBe(1000)
    for (let at = 2000; at <= 20_000; at += 1000) speedometer.measure(1000 + at * 5, at)
    expect(speedometer.measure(101_000, 20_000)).toBeCloseTo(5000, 0)
    expect(speedometer.measure(101_000, 40_000)).toBe(0)
    // Bytes of a failed part are sent again.
    expect(speedometer.measure(50_000, 40_500)).toBe(0)
  })

  it('the bar shows share, bytes, speed and remaining time', () => {
    const counts = { total: 100 * mebibyte, moved: 20 * mebibyte, skipped: 30 * mebibyte }
    expect(barText(counts, '##--', 5 * mebibyte)).toBe('##--  50% | 50.0 MiB of 100.0 MiB | 5.0 MiB/s | 0:10 left')
    expect(barText({ ...counts, total: undefined }, '', mebibyte)).toBe('50.0 MiB | 1.0 MiB/s')
    expect(barText({ total: 0, moved: 0, skipped: 0 }, '####', 0)).toBe('#### 100% | 0 B of 0 B | 0 B/s | 0:00 left')
  })

  it('the line at the end names the bytes of an earlier run', () => {
    expect(summary({ moved: 30 * mebibyte, skipped: 0 }, 'sent', 10)).toBe('30.0 MiB sent in 10.0 s (3.0 MiB/s)')
    expect(summary({ moved: mebibyte, skipped: 2048 }, 'sent', 90)).toBe(
      '1.0 MiB sent in 1:30 (11.4 KiB/s); 2.0 KiB were sent earlier',
    )
  })
})

describe('lanes', () => {
  async function* numbers(count: number) {
    for (let i = 0; i < count; i++) yield i
  }

  it('lanes work on each item once, at most so many at a time', async () => {
    const done: number[] = []
    let running = 0
    let most = 0
    await inLanes(3, numbers(20), async (item) => {
      most = Math.max(most, ++running)
      await sleep(2)
      running--
      done.push(item)
    })
    expect(most).toBe(3)
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  it('lanes end with the first error: the others are aborted, and no further item begins', async () => {
    const begun: number[] = []
    const work = inLanes(3, numbers(20), async (item, signal) => {
      begun.push(item)
      if (item === 1) throw new Error('broken')
      await sleep(10_000, undefined, { signal })
    })
    await expect(work).rejects.toThrow('broken')
    expect(begun.length).toBeLessThanOrEqual(4)
  })

  it('lanes end with the error of the generator', async () => {
    async function* unreadable(): AsyncGenerator<number> {
      throw new Error('unreadable')
    }
    await expect(inLanes(3, unreadable(), async () => undefined)).rejects.toThrow('unreadable')
  })
})

describe('patience', () => {
  /** Waits end at once, and the time jumps. */
  const jumpingClock = () => {
    let now = 0
    return { now: () => now, wait: async (ms: number) => void (now += ms) }
  }
  const answer = (status: number, message: string) =>
    new SvcError(status, { success: false, error: 'x', message, request_id: 'r' })
  const networkError = (message: string, code?: string) =>
    new NoAnswerError('network', message, {
      cause: new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) }),
    })
  const network = networkError('broken', 'ECONNRESET')
  const refused = networkError('refused', 'ECONNREFUSED')

  /** Repeats an act that always fails. @returns the number of attempts when it gives up, and the notes */
  async function persist(error: Error, hasAnswer = false) {
    const notes: string[] = []
    const patience = new Patience((text) => void notes.push(text), jumpingClock())
    if (hasAnswer) patience.renew()
    let attempts = 0
    const work = patience.persist(() => {
      attempts++
      return Promise.reject(error)
    })
    await expect(work).rejects.toBe(error)
    return { attempts, notes }
  }

  it.each([
    ['a broken connection', network],
    ['a timeout', new NoAnswerError('timeout', 'late')],
    ['502 of the API', answer(502, 'disk')],
    ['503 of a proxy', new NoAnswerError('answer', 'page', { status: 503 })],
    ['a body that stopped for too long', answer(400, lateBodyMessage)],
  ])('tries again after %s, for five minutes', async (_what, error) => {
    const { attempts, notes } = await persist(error)
    // After 1, 2, 4, 8, 16 and 30 seconds, then every 30 seconds.
    expect(attempts).toBe(15)
    expect(notes.map((text) => /; trying again in (\d+) s$/.exec(text)?.[1])).toEqual(['1', '2', '4', '8', '16', '30'])
  })

  it.each([
    ['400', answer(400, 'index is wrong')],
    ['500', answer(500, 'bug')],
    ['an answer of another server', new NoAnswerError('answer', 'page', { status: 200 })],
    ['a redirect', new NoAnswerError('redirect', 'elsewhere')],
    ['an error of the program', new TypeError('x')],
    ['an unreachable server before its first answer', refused],
    ['an invalid certificate before the first answer', networkError('expired', 'CERT_HAS_EXPIRED')],
    ['a port that fetch refuses', networkError('bad port')],
  ])('gives up at once after %s', async (_what, error) => {
    expect(await persist(error)).toEqual({ attempts: 1, notes: [] })
  })

  it('tries again if the server has answered before', async () => {
    expect((await persist(refused, true)).attempts).toBe(15)
  })

  it('the time starts again with each progress', async () => {
    const patience = new Patience(() => undefined, jumpingClock())
    let attempts = 0
    const work = patience.persist(() => {
      attempts++
      if (attempts % 5 === 0) patience.renew()
      return attempts < 50 ? Promise.reject(network) : Promise.resolve('done')
    })
    expect(await work).toBe('done')
  })

  it('several lanes write one note', async () => {
    const notes: string[] = []
    const patience = new Patience((text) => void notes.push(text), jumpingClock())
    const failing = [1, 2, 3].map(() => {
      let attempts = 0
      return patience.persist(() => (++attempts < 3 ? Promise.reject(network) : Promise.resolve()))
    })
    await Promise.all(failing)
    expect(notes).toEqual(['broken; trying again in 1 s', 'broken; trying again in 2 s'])
  })
})
