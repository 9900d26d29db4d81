import { describe, expect, it } from 'vitest'
import { tcpLimits } from '../embedded/tcp.js'
import { slotLimits, TransferSlots } from './transfer-slots.js'
import { incompleteMs } from './transfers.js'

const never = new AbortController().signal
const limits = { total: 4, perKey: 2, waitingPerKey: 3, waitMs: 60 }

describe('the slots of transfers', () => {
  it('are two for each key and four in all; further transfers start when one ends, in their order', async () => {
    const slots = new TransferSlots({ ...limits, waitMs: 10_000 })
    const started: string[] = []
    const take = async (name: string) => {
      const free = await slots.take(name.slice(0, 1), never)
      if (free !== undefined) started.push(name)
      return free
    }
    const [first] = await Promise.all(['a1', 'a2', 'b1', 'b2'].map(take))
    const waiting = ['a3', 'c1', 'a4'].map(take)
    await Promise.resolve()
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2'])
    first?.()
    await waiting[0]
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'a3'])
    ;(await waiting[0])?.()
    await waiting[1]
    expect(started.at(-1)).toBe('c1')
  })

  it('are not kept for a key that has used up its share', async () => {
    const slots = new TransferSlots({ ...limits, waitMs: 10_000 })
    await slots.take('a', never)
    await slots.take('a', never)
    const third = slots.take('a', never)
    expect(await slots.take('b', never)).toBeDefined()
    expect(await Promise.race([third, Promise.resolve('waiting')])).toBe('waiting')
  })

  it('are given up after a time, when the client leaves, and at once when too many wait', async () => {
    const slots = new TransferSlots(limits)
    await slots.take('a', never)
    await slots.take('a', never)
    const leaving = new AbortController()
    const left = slots.take('a', leaving.signal)
    const late = [slots.take('a', never), slots.take('a', never)]
    expect(await slots.take('a', never)).toBeUndefined()
    leaving.abort()
    expect(await left).toBeUndefined()
    expect(await Promise.all(late)).toEqual([undefined, undefined])
  })

  it('are waited for less long than a connection may be idle, so that the client gets an answer', () => {
    expect(slotLimits.waitMs + incompleteMs).toBeLessThan(tcpLimits.idleMs)
  })
})
