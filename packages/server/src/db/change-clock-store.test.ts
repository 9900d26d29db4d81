import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import { noteAndFail, noteAndWait, noteDeployment, noteSite } from '../../test/clock-units.js'
import { twoProcesses, type TwoProcesses } from '../../test/two-processes.js'
import { countChanges } from './change-clock-store.js'

describe.each(databaseKinds)('the clock of changes on %s', (kind) => {
  let two: TwoProcesses
  beforeAll(async () => {
    two = await twoProcesses(kind)
  })
  afterAll(() => two.stop())

  const counted = () => Promise.all([countChanges(two.otherDb, 'sites'), countChanges(two.otherDb, 'deployments')])

  it('counts each change that any process has committed, and no other', async () => {
    expect(await counted()).toEqual([0, 0])
    await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? two.db : two.otherDb).write(noteSite)))
    await two.db.write(noteDeployment)
    await expect(two.db.write(noteAndFail)).rejects.toThrow('The unit fails after its change.')
    expect(await counted()).toEqual([40, 1])
  })

  if (kind === 'postgres')
    it('a change that is not yet committed delays few others, and is counted later', async () => {
      const [before] = await counted()
      const released = new AbortController()
      const waiting = two.db.write(noteAndWait, once(released.signal, 'abort'))
      const others = Promise.all(Array.from({ length: 30 }, () => two.otherDb.write(noteSite)))
      try {
        await vi.waitFor(async () => expect((await counted())[0]).toBeGreaterThan(before + 20), 5_000)
      } finally {
        released.abort()
      }
      await Promise.all([waiting, others])
      expect((await counted())[0]).toBe(before + 31)
    })
})
