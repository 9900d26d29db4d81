import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LockTimeout, type WithLock } from '../db/keyed-mutex.js'
import type { Job } from '../shared/job.js'
import { Wakeup } from '../shared/wakeup.js'
import { startJobs } from './job-runner.js'

let log: string[]
let failed: string[]
/** Keys of the locks that were taken. */
let locked: string[]
let isLockTaken: boolean
let isPoolBusy: boolean
/** The last runs that the database remembers. */
let runs: Map<string, number>
let stop: () => Promise<void>

beforeEach(() => {
  vi.useFakeTimers()
  log = []
  failed = []
  locked = []
  isLockTaken = false
  isPoolBusy = false
  runs = new Map()
})
afterEach(async () => {
  await stop()
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function start(job: Partial<Job> & Pick<Job, 'run'>): void {
  const withLock: WithLock = (key, work, waitMs) => {
    if (isPoolBusy) return Promise.reject(new LockTimeout(key, waitMs ?? 0, { cause: new Error('busy') }))
    if (isLockTaken) return Promise.reject(new LockTimeout(key, waitMs ?? 0))
    locked.push(key)
    return work()
  }
  const usual: Omit<Job, 'run'> = {
    name: 'test.job',
    everyMs: 1000,
    runsIn: 'every process',
    failureMessage: 'the work failed',
  }
  stop = startJobs([{ ...usual, ...job }], {
    withLock,
    runs: { all: async () => runs, note: async (name, at) => void runs.set(name, at) },
    log: pino({}, { write: (line: string) => void log.push((JSON.parse(line) as { msg: string }).msg) }),
    onFailure: (name) => void failed.push(name),
  })
}

it('runs a job at its interval, the first time after one interval', async () => {
  let runs = 0
  start({
    run: async () => {
      runs++
    },
  })
  await pass(999)
  expect(runs).toBe(0)
  await pass(1)
  expect(runs).toBe(1)
  await pass(3000)
  expect(runs).toBe(4)
  expect(locked).toEqual([])
})

it('a wakeup starts a run at once, or after the one that is under way, and the interval begins anew', async () => {
  const begin = Date.now()
  const times: number[] = []
  const wakeup = new Wakeup()
  start({
    wakeup,
    run: async () => {
      times.push(Date.now() - begin)
      await new Promise((resolve) => setTimeout(resolve, 100))
    },
  })
  await pass(300)
  wakeup.call()
  wakeup.call()
  await pass(50)
  wakeup.call()
  wakeup.call()
  await pass(1_500)
  expect(times).toEqual([300, 401, 1_401])
  await stop()
  wakeup.call()
  await pass(2_000)
  expect(times).toHaveLength(3)
})

it('a wakeup does not shorten the wait after a failure', async () => {
  const begin = Date.now()
  const times: number[] = []
  const wakeup = new Wakeup()
  start({
    wakeup,
    run: () => {
      times.push(Date.now() - begin)
      return times.length > 2 ? Promise.resolve() : Promise.reject(new Error('broken'))
    },
  })
  await pass(1_000)
  wakeup.call()
  await pass(1_999)
  expect(times).toEqual([1_000])
  await pass(1)
  expect(times).toEqual([1_000, 3_000])
})

it('never overlaps two runs, and skips the runs that fall into a long one', async () => {
  const times: string[] = []
  const begin = Date.now()
  start({
    run: async () => {
      times.push(`starts ${Date.now() - begin}`)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      times.push(`ends ${Date.now() - begin}`)
    },
  })
  await pass(5000)
  expect(times).toEqual(['starts 1000', 'ends 2500', 'starts 3000', 'ends 4500', 'starts 5000'])
  await Promise.all([stop(), pass(1500)])
})

it('logs the first of several failures, counts all, and logs again after a success', async () => {
  let isFailing = true
  start({
    run: async () => {
      if (isFailing) throw new Error('gone')
    },
  })
  await pass(10_000)
  expect(log).toEqual(['the work failed'])
  expect(failed.length).toBeGreaterThan(1)
  expect(new Set(failed)).toEqual(new Set(['test.job']))
  isFailing = false
  await pass(10_000)
  isFailing = true
  await pass(10_000)
  expect(log).toEqual(['the work failed', 'the work failed'])
})

it('waits twice as long after each failure, at most five seconds, and its interval again after a success', async () => {
  const times: number[] = []
  const begin = Date.now()
  start({
    everyMs: 250,
    run: async () => {
      times.push(Date.now() - begin)
      if (times.length <= 6) throw new Error('gone')
    },
  })
  await pass(20_000)
  expect(times.slice(0, 8)).toEqual([250, 750, 1750, 3750, 7750, 12_750, 17_750, 18_000])
})

it('keeps an interval that is longer than the longest wait after failures', async () => {
  let runs = 0
  start({
    everyMs: 30_000,
    run: async () => {
      runs++
      throw new Error('gone')
    },
  })
  await pass(90_000)
  expect(runs).toBe(3)
})

it('one process: runs under the lock of its name, and skips a run while another process has the lock', async () => {
  let runs = 0
  start({
    runsIn: 'one process',
    run: async () => {
      runs++
    },
  })
  await pass(1000)
  expect([runs, locked]).toEqual([1, ['test.job']])
  isLockTaken = true
  await pass(3000)
  expect([runs, log, failed]).toEqual([1, [], []])
  isLockTaken = false
  await pass(1000)
  expect(runs).toBe(2)
})

it('one process: logs the first of several runs that are skipped because no connection is free', async () => {
  let runs = 0
  start({
    runsIn: 'one process',
    run: async () => {
      runs++
    },
  })
  const message = 'a job is skipped: no connection for its lock is free'
  isPoolBusy = true
  await pass(3000)
  expect([runs, log, failed]).toEqual([0, [message], []])
  isPoolBusy = false
  await pass(1000)
  isPoolBusy = true
  await pass(3000)
  expect([runs, log, failed]).toEqual([1, [message, message], []])
})

it('one process: a failure under the lock is a failure of the job', async () => {
  start({ runsIn: 'one process', run: () => Promise.reject(new Error('gone')) })
  await pass(1000)
  expect([log, failed]).toEqual([['the work failed'], ['test.job']])
})

it('stop aborts the signal, waits for the run, and starts no further one', async () => {
  let finish: () => void = () => undefined
  let runs = 0
  let seen: AbortSignal | undefined
  start({
    run: (signal) => {
      runs++
      seen = signal
      return new Promise((resolve) => (finish = resolve))
    },
  })
  await pass(1000)
  let isStopped = false
  const stopping = stop().then(() => (isStopped = true))
  await pass(0)
  expect([seen?.aborted, isStopped]).toEqual([true, false])
  finish()
  await stopping
  await pass(5000)
  expect(runs).toBe(1)
})

it('stop between two runs starts no further one', async () => {
  let runs = 0
  start({ run: async () => void runs++ })
  await pass(1500)
  await stop()
  await pass(5000)
  expect(runs).toBe(1)
})

describe('an hourly job of one process', () => {
  const hour = 3_600_000

  it('runs every hour in processes that restart every five minutes, and not more often in two that run', async () => {
    const times: number[] = []
    const begin = Date.now()
    const job = { name: 'test.hourly', everyMs: hour, runsIn: 'one process' } as const
    const run = async () => void times.push(Math.floor((Date.now() - begin) / 60_000))
    for (let minute = 0; minute < 125; minute += 5) {
      start({ ...job, run })
      await pass(5 * 60_000)
      await stop()
    }
    expect(times).toEqual([0, 60, 120])
    start({ ...job, run })
    const stopFirst = stop
    start({ ...job, run })
    await pass(2 * hour)
    await stopFirst()
    expect(times).toEqual([0, 60, 120, 180, 240])
  })

  it('is tried again after the next start if it failed, or was stopped', async () => {
    const hourly = { everyMs: hour, runsIn: 'one process' } as const
    start({ ...hourly, run: () => Promise.reject(new Error('gone')) })
    await pass(60_000)
    await stop()
    start({ ...hourly, run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())) })
    await pass(60_000)
    await stop()
    expect(runs.size).toBe(0)
    start({ ...hourly, run: () => Promise.resolve() })
    await pass(60_000)
    expect([...runs.keys()]).toEqual(['test.job'])
  })

  it('runs if the clock was set back since its last run', async () => {
    runs.set('test.job', Date.now() + 10 * hour)
    let count = 0
    start({
      everyMs: hour,
      runsIn: 'one process',
      run: async () => {
        count++
      },
    })
    await pass(60_000)
    expect(count).toBe(1)
  })
})
