import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { keyedMutex } from '../../../db/keyed-mutex.js'
import { commandZoneLock, requestZoneLock } from './zone-lock.js'

const limits = { totalMs: 300, restoreMs: 100, queuedPerZone: 3, queuedMax: 5 }
const lock = () => requestZoneLock(keyedMutex(), limits)
const upstream = (zone: string) => ({ code: 'upstream_error', extra: { zone } })

describe('the lock on a zone for requests', () => {
  it('gives a change the rest of its deadline, and reserves time for a restore', async () => {
    const withLock = lock()
    const [first, second] = await Promise.all([
      withLock('a', async ({ work }) => {
        await sleep(100)
        return work?.remainingMs ?? 0
      }),
      withLock('a', async ({ work, restore }) => [work?.remainingMs ?? 0, restore?.remainingMs ?? 0]),
    ])
    expect(first).toBeLessThanOrEqual(101)
    expect(second[0]).toBeLessThanOrEqual(101)
    expect((second[1] ?? 0) - (second[0] ?? 0)).toBeCloseTo(limits.restoreMs, -1)
  })

  it('upstream_error for a change that has waited too long, which does not begin later', async () => {
    const withLock = lock()
    const begun: string[] = []
    const slow = withLock('a', () => sleep(600))
    const began = performance.now()
    await expect(withLock('a', async () => begun.push('late'))).rejects.toMatchObject(upstream('a'))
    expect(performance.now() - began).toBeLessThan(limits.totalMs + 100)
    await slow
    await sleep(50)
    expect(begun).toEqual([])
  })

  it('upstream_error for a change that gets the lock too late, which does not begin', async () => {
    const tardy = requestZoneLock(async (_, work) => {
      await sleep(limits.totalMs)
      return work()
    }, limits)
    await expect(tardy('a', async () => 'begun')).rejects.toMatchObject(upstream('a'))
  })

  it('upstream_error beyond the limits of queued changes, for a zone and in total, until others have ended', async () => {
    const withLock = lock()
    const wait = (zone: string) => withLock(zone, () => sleep(50))
    const three = [wait('a'), wait('a'), wait('a')]
    await expect(wait('a')).rejects.toMatchObject({ ...upstream('a'), message: expect.stringContaining('queued') })
    const two = [wait('b'), wait('c')]
    await expect(wait('d')).rejects.toMatchObject(upstream('d'))
    await Promise.all([...three, ...two])
    await wait('a')
  })

  it('rejects with the error of the change', async () => {
    await expect(lock()('a', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  })
})

it('the lock for a command sets no deadlines, and rejects with the error of the change', async () => {
  const withLock = commandZoneLock(keyedMutex())
  expect(await withLock('a', async (time) => time)).toEqual({ work: undefined, restore: undefined })
  await expect(withLock('a', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
})
