import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { keyedMutex, LockTimeout } from './keyed-mutex.js'
import { Slots } from '../shared/slots.js'

it('a held key with a thousand calls refuses further ones at once; other keys do not', async () => {
  const lock = keyedMutex()
  let release: () => void = () => undefined
  const holding = lock('held', () => new Promise<void>((resolve) => (release = resolve)))
  const ran: number[] = []
  const waiting = Array.from({ length: 999 }, (_, i) => lock('held', async () => void ran.push(i)))
  await expect(lock('held', async () => 'ran')).rejects.toThrow(LockTimeout)
  await expect(lock('free', async () => 'ran')).resolves.toBe('ran')
  release()
  await Promise.all([holding, ...waiting])
  expect(ran).toEqual(Array.from({ length: 999 }, (_, i) => i))
  await expect(lock('held', async () => 'ran')).resolves.toBe('ran')
})

it('slots go to waiting calls in order, not after their deadline; calls beyond the queue limit are refused', async () => {
  const slots = new Slots(1, 2)
  expect(await slots.take(Infinity)).toBe(true)
  const late = slots.take(performance.now() + 30)
  const first = slots.take(Infinity)
  expect(await slots.take(Infinity)).toBe(false)
  expect(await late).toBe(false)
  const second = slots.take(Infinity)
  slots.release()
  expect(await first).toBe(true)
  expect(await Promise.race([second, sleep(20, 'still waiting')])).toBe('still waiting')
  slots.release()
  expect(await second).toBe(true)
})
