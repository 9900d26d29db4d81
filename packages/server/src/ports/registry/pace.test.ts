import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { RegistryBusy, RegistryRateLimited, RegistryUnavailable } from './errors.js'
import { Pace } from './pace.js'
import { RegistryError } from './port.js'

const warn = vi.fn()
let pace: Pace
let running: string[]
let end: (() => void)[]
beforeEach(() => {
  warn.mockClear()
  pace = new Pace({ warn })
  running = []
  end = []
})

const soon = () => performance.now() + 10_000

/** A request that runs until the test ends it. */
const start = (host: string, until = soon()) =>
  pace.run(host, until, async () => {
    running.push(host)
    await new Promise<void>((resolve) => end.push(resolve))
  })

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
}

it('runs two requests at one server, and eight in total', async () => {
  const calls = [...Array.from({ length: 5 }, () => 'slow'), ...Array.from({ length: 9 }, (_, n) => `host${String(n)}`)]
  const all = Promise.all(calls.map((host) => start(host)))
  await settled()
  expect(running).toEqual(['slow', 'slow', 'host0', 'host1', 'host2', 'host3', 'host4', 'host5'])
  while (end.length > 0) {
    end.shift()?.()
    await settled()
  }
  await all
  expect(running).toHaveLength(14)
})

it('a call waits for a slot until its deadline', async () => {
  const calls = [start('a'), start('a')]
  await settled()
  await expect(start('a', performance.now() + 2_020)).rejects.toThrow(
    'Too many look-ups are running. Try again in a minute.',
  )
  expect(running).toEqual(['a', 'a'])
  for (const stop of end) stop()
  await Promise.all(calls)
})

it('a call does not wait for a slot if less than two seconds are left', async () => {
  const calls = [start('a'), start('a')]
  await settled()
  const refused = start('a', performance.now() + 1_900).catch((error: unknown) => error)
  expect(await Promise.race([refused, sleep(500, 'it waits')])).toBeInstanceOf(RegistryBusy)
  for (const stop of end) stop()
  await Promise.all(calls)
})

it('limits the calls that wait for one server', async () => {
  const calls = Array.from({ length: 53 }, () => start('a'))
  await expect(calls[52]).rejects.toThrow('Too many look-ups are running.')
  const others = Promise.all(calls.slice(0, 52))
  await settled()
  while (end.length > 0) {
    end.shift()?.()
    await settled()
  }
  await others
})

it('does not ask a server that was unreachable or refused requests, also for calls that waited', async () => {
  let asked = 0
  const ask = (error: Error) =>
    pace.run('a', soon(), async () => {
      asked += 1
      await nextTurn()
      throw error
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => ask(new RegistryUnavailable('down'))))
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : ''))).toEqual(
    Array.from({ length: 9 }, () => 'RegistryError: down'),
  )
  expect(asked).toBe(2)
  expect(warn).toHaveBeenCalledTimes(1)
  await expect(pace.run('b', soon(), () => Promise.reject(new RegistryRateLimited()))).rejects.toThrow(
    'limits the number',
  )
  await expect(pace.run('b', soon(), () => Promise.resolve(1))).rejects.toThrow('limits the number')
})

it('asks a server again after an answer that could not be used', async () => {
  await expect(pace.run('a', soon(), () => Promise.reject(new RegistryError('unusable')))).rejects.toThrow('unusable')
  expect(await pace.run('a', soon(), () => Promise.resolve(1))).toBe(1)
})
