import { expect, it, vi } from 'vitest'
import { rememberedOutcomes } from './outcomes.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'

it('a copy of a message waits for the first and gets its outcome; another signature is another message', async () => {
  const outcomes = rememberedOutcomes()
  let applied = 0
  let finish: (code: Rcode) => void = () => undefined
  const work = () => {
    applied++
    return new Promise<Rcode>((resolve) => {
      finish = resolve
    })
  }
  const copies = [outcomes.once(1, 'key mac', work), outcomes.once(1, 'key mac', work)]
  expect(applied).toBe(1)
  finish(rcode.yxDomain)
  expect(await Promise.all([...copies, outcomes.once(1, 'key mac', work)])).toEqual(Array(3).fill(rcode.yxDomain))
  expect(applied).toBe(1)
  const other = outcomes.once(1, 'key other', work)
  expect(applied).toBe(2)
  finish(rcode.noError)
  expect(await other).toBe(rcode.noError)
})

it('a failure of the server is not remembered: the same message is tried again', async () => {
  const outcomes = rememberedOutcomes()
  expect(await outcomes.once(1, 'key mac', () => Promise.resolve(rcode.servFail))).toBe(rcode.servFail)
  expect(await outcomes.once(1, 'key mac', () => Promise.resolve(rcode.noError))).toBe(rcode.noError)
})

it('an account that sends more updates than are remembered does not displace those of another account', async () => {
  const outcomes = rememberedOutcomes(100)
  let applied = 0
  const once = (account: number, signature: string) =>
    outcomes.once(account, signature, () => {
      applied++
      return Promise.resolve(rcode.noError)
    })
  for (let n = 0; n < 10; n++) await once(1, `recorded ${String(n)}`)
  for (let n = 0; n < 1_000; n++) await once(2, `flood ${String(n)}`)
  applied = 0
  for (let n = 0; n < 10; n++) await once(1, `recorded ${String(n)}`)
  expect(applied).toBe(0)
  await once(2, 'flood 999')
  expect(applied).toBe(0)
  await once(2, 'flood 0')
  expect(applied).toBe(1)
})

it('is forgotten after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const outcomes = rememberedOutcomes()
    let applied = 0
    const work = () => {
      applied++
      return Promise.resolve(rcode.noError)
    }
    await outcomes.once(1, 'key mac', work)
    vi.advanceTimersByTime(599_000)
    await outcomes.once(1, 'key mac', work)
    expect(applied).toBe(1)
    vi.advanceTimersByTime(2_000)
    await outcomes.once(1, 'key mac', work)
    expect(applied).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
