import { expect, it } from 'vitest'
import { busy, signInAdmission, type Caller } from './admission.js'

/** Sign-ins that last until they are ended. */
function openSignIns() {
  const admission = signInAdmission()
  const ends: (() => void)[] = []
  const enter = (caller: Caller) => admission.run(caller, () => new Promise<void>((resolve) => ends.push(resolve)))
  const next = (caller: Caller) => admission.run(caller, () => Promise.resolve('in'))
  return { ends, enter, next }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

it('admits six sign-ins of one network at a time, and still those of other networks', async () => {
  const { ends, enter, next } = openSignIns()
  const six = numbers(6).map(() => enter({ ip: '192.0.2.1' }))
  expect(await next({ ip: '192.0.2.1' })).toBe(busy)
  expect(await next({ ip: '192.0.2.2' })).toBe('in')
  ends[0]!()
  await six[0]
  expect(await next({ ip: '192.0.2.1' })).toBe('in')
})

it.each([
  ['/24', (i: number) => `192.0.2.${String(i)}`, '198.51.100.1'],
  ['/48', (i: number) => `2001:db8:1:${String(i)}::1`, '2001:db8:2::1'],
])('admits twelve sign-ins of one %s at a time, and still those of others', async (_, address, other) => {
  const { enter, next } = openSignIns()
  for (const i of numbers(12)) void enter({ ip: address(i) })
  expect(await next({ ip: address(99) })).toBe(busy)
  expect(await next({ ip: other })).toBe('in')
})

it('admits 26 sign-ins of unknown browsers in total, and still eight of known ones, two of an account', async () => {
  const { ends, enter, next } = openSignIns()
  const all = numbers(26).map((i) => enter({ ip: `192.0.${String(i)}.1` }))
  expect(await next({ ip: '198.51.100.1' })).toBe(busy)
  for (const i of numbers(8)) {
    expect(await next({ knownFor: 9 })).toBe('in')
    all.push(enter({ knownFor: i >> 1 }))
    if (i % 2 === 1) expect(await next({ knownFor: i >> 1 })).toBe(busy)
  }
  expect(await next({ knownFor: 9 })).toBe(busy)
  for (const end of ends) end()
  await Promise.all(all)
  for (const caller of [{ ip: '198.51.100.1' }, { knownFor: 0 }]) expect(await next(caller)).toBe('in')
})

it('a failed sign-in is no longer counted', async () => {
  const admission = signInAdmission()
  for (let i = 0; i < 10; i++)
    await expect(admission.run({ ip: '192.0.2.1' }, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
})
