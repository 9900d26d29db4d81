import { expect, it } from 'vitest'
import { rememberedOutcomes } from './outcomes.js'
import { rcode, type Rcode } from './rcode.js'

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
  const copies = [outcomes.once('key mac', work), outcomes.once('key mac', work)]
  expect(applied).toBe(1)
  finish(rcode.yxDomain)
  expect(await Promise.all([...copies, outcomes.once('key mac', work)])).toEqual(Array(3).fill(rcode.yxDomain))
  expect(applied).toBe(1)
  const other = outcomes.once('key other', work)
  expect(applied).toBe(2)
  finish(rcode.noError)
  expect(await other).toBe(rcode.noError)
})

it('a failure of the server is not remembered: the same message is tried again', async () => {
  const outcomes = rememberedOutcomes()
  expect(await outcomes.once('key mac', () => Promise.resolve(rcode.servFail))).toBe(rcode.servFail)
  expect(await outcomes.once('key mac', () => Promise.resolve(rcode.noError))).toBe(rcode.noError)
})
