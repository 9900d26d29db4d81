import { expect, it } from 'vitest'
import { busy, signInAdmission } from './admission.js'

/** Sign-ins that last until they are ended. */
function openSignIns() {
  const admission = signInAdmission()
  const ends: (() => void)[] = []
  const enter = (network: string) => admission.run(network, () => new Promise<void>((resolve) => ends.push(resolve)))
  return { admission, ends, enter }
}

it('admits six sign-ins of one network at a time, and still those of other networks', async () => {
  const { admission, ends, enter } = openSignIns()
  const six = Array.from({ length: 6 }, () => enter('192.0.2.1'))
  expect(await admission.run('192.0.2.1', () => Promise.resolve('in'))).toBe(busy)
  expect(await admission.run('192.0.2.2', () => Promise.resolve('in'))).toBe('in')
  ends[0]!()
  await six[0]
  expect(await admission.run('192.0.2.1', () => Promise.resolve('in'))).toBe('in')
})

it('admits 34 sign-ins in total', async () => {
  const { admission, ends, enter } = openSignIns()
  const all = Array.from({ length: 34 }, (_, i) => enter(`192.0.2.${i}`))
  expect(await admission.run('198.51.100.1', () => Promise.resolve('in'))).toBe(busy)
  for (const end of ends) end()
  await Promise.all(all)
  expect(await admission.run('198.51.100.1', () => Promise.resolve('in'))).toBe('in')
})

it('a failed sign-in is no longer counted', async () => {
  const admission = signInAdmission()
  for (let i = 0; i < 10; i++)
    await expect(admission.run('192.0.2.1', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
})
