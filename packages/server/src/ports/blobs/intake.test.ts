import { mkdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { commitBlobSlowly } from '../../../test/blob-units.js'
import { later, never, someBytes, startIntakes, type Intakes } from '../../../test/intakes.js'
import { writerOf, type Blobs } from './port.js'
import { leaseMs, writerMs } from './writers.js'

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let system: Intakes
  beforeAll(async () => {
    system = await startIntakes(kind)
  })
  afterAll(() => system.stop())
  afterEach(() => {
    vi.useRealTimers()
  })

  it('put stores the bytes under a new key', async () => {
    const one = await system.intake().put(someBytes())
    expect(one).toMatchObject({ size: 10, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await system.blobs.sizeOf(one.key)).toBe(10)
  })

  describe('a commit', () => {
    it('a commit is rejected after the lease was lost', async () => {
      const suspended = system.intake()
      const { key } = await suspended.put(someBytes())
      later(leaseMs + 1)
      await system.otherIntake().sweep(never)
      await expect(system.commit(key)).rejects.toThrow('whose lease has expired')
      await suspended.discard(key)
      expect(system.logged.join()).not.toContain(key)
    })

    it('a commit of a process whose lease was lost succeeds with the next object', async () => {
      const suspended = system.intake()
      await suspended.put(someBytes())
      later(leaseMs + 1)
      await system.otherIntake().sweep(never)
      const { key } = await suspended.put(someBytes())
      await system.commit(key)
      await system.lease(suspended)
      expect(await system.exists(key)).toBe(true)
    })
  })

  describe('discard', () => {
    it('removes an object without a row', async () => {
      const one = system.intake()
      const { key } = await one.put(someBytes())
      await one.discard(key)
      expect(await system.exists(key)).toBe(false)
    })

    it('removes many objects in one write, and keeps those with a row', async () => {
      const one = system.intake()
      const stored = await Promise.all(Array.from({ length: 20 }, () => one.put(someBytes())))
      const keys = stored.map(({ key }) => key)
      const kept = keys[7] ?? ''
      await system.commit(kept)
      const written = vi.spyOn(system.processes.db, 'write')
      await one.discard(...keys)
      expect(written).toHaveBeenCalledTimes(1)
      written.mockRestore()
      for (const key of keys) expect(await system.exists(key)).toBe(key === kept)
    })

    it('a discard of no object writes nothing', async () => {
      const written = vi.spyOn(system.processes.db, 'write')
      await system.intake().discard()
      expect(written).not.toHaveBeenCalled()
      written.mockRestore()
    })

    it('keeps an object whose commit succeeded although its answer was lost', async () => {
      const one = system.intake()
      const { key } = await one.put(someBytes())
      await system.commit(key)
      await one.discard(key)
      expect(await system.exists(key)).toBe(true)
    })
  })

  // SQLite has one transaction at a time.
  if (kind === 'postgres')
    describe('a transaction that is open', () => {
      it('a commit that is under way when the lease expires keeps its object', async () => {
        const slow = system.intake()
        const { key } = await slow.put(someBytes())
        const committed = system.processes.db.write(commitBlobSlowly, key, 10)
        await sleep(200)
        later(leaseMs + 1)
        await system.otherIntake().sweep(never)
        await committed
        expect(await system.exists(key)).toBe(true)
      })

      it('a commit does not delay the renewal of the lease', async () => {
        const slow = system.intake()
        const { key } = await slow.put(someBytes())
        let isCommitted = false
        const committed = system.processes.db.write(commitBlobSlowly, key, 10).then(() => (isCommitted = true))
        await sleep(200)
        await system.lease(slow)
        expect(isCommitted).toBe(false)
        await committed
      })

      it('discard waits for a commit that is still under way', async () => {
        const one = system.intake()
        const { key } = await one.put(someBytes())
        const committed = system.processes.otherDb.write(commitBlobSlowly, key, 10)
        await sleep(200)
        await one.discard(key)
        await committed
        expect(await system.exists(key)).toBe(true)
      })
    })

  it('discard and remove log what cannot be removed and go on', async () => {
    const one = system.intake()
    const broken = await one.put(someBytes())
    const others = await Promise.all(Array.from({ length: 20 }, () => one.put(someBytes())))
    await rm(system.pathOf(broken.key))
    await mkdir(system.pathOf(broken.key))
    system.logged.length = 0
    one.remove([broken.key, ...others.map(({ key }) => key)])
    await vi.waitFor(() => expect(system.logged).toHaveLength(1))
    expect(JSON.parse(system.logged[0]!)).toMatchObject({
      level: 40,
      key: broken.key,
      msg: expect.stringContaining('sweep'),
    })
    for (const { key } of others) await expect.poll(() => system.exists(key)).toBe(false)
    expect(system.logged).toHaveLength(1)
    await one.discard(broken.key)
    expect(system.logged).toHaveLength(2)
    await rm(system.pathOf(broken.key), { recursive: true })
  })

  // On one database, because it takes ten seconds.
  if (kind === 'sqlite')
    it('close and the renewal of the lease do not wait for a blob store that hangs', async () => {
      const hanging = Object.create(system.blobs, { writeMark: { value: () => new Promise(() => undefined) } }) as Blobs
      const one = system.intake(hanging)
      const { key } = await one.put(someBytes())
      later(leaseMs - 1)
      await expect(system.lease(one)).rejects.toThrow('The blob store does not answer.')
      later(leaseMs - 1)
      await system.otherIntake().sweep(never)
      await system.commit(key)
      one.settle(key)
      system.logged.length = 0
      await one.close()
      expect(system.logged.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({ level: 40, msg: 'the end of the lease could not be noted in the blob store' }),
      ])
      await expect(system.commit(`${'1'.repeat(32)}-${String(writerOf(key))}`)).rejects.toThrow('lease')
    }, 60_000)

  describe('after a day', () => {
    it('a process has a new writer, so that what it left behind is swept', async () => {
      const longLived = system.intake()
      const left = await longLived.put(someBytes())
      longLived.settle(left.key)
      later(writerMs)
      const { key } = await longLived.put(someBytes())
      expect(writerOf(key)).not.toBe(writerOf(left.key)!)
      await system.lease(longLived)
      await system.otherIntake().sweep(never)
      expect(await system.exists(left.key)).toBe(false)
      await system.commit(key)
      expect(await system.exists(key)).toBe(true)
    })

    it('the old writer stays until its upload is committed', async () => {
      const longLived = system.intake()
      const slow = await longLived.put(someBytes())
      for (let quarters = 0; quarters < 100; quarters++) {
        later(leaseMs - 1)
        await system.lease(longLived)
      }
      const next = await longLived.put(someBytes())
      expect(writerOf(next.key)).not.toBe(writerOf(slow.key)!)
      await system.lease(longLived)
      await system.otherIntake().sweep(never)
      await system.commit(slow.key)
      longLived.settle(slow.key)
      expect(await system.exists(slow.key)).toBe(true)
      await system.lease(longLived)
      await system.otherIntake().sweep(never)
      expect(await system.exists(slow.key)).toBe(true)
      await expect(system.commit(`${'0'.repeat(32)}-${String(writerOf(slow.key))}`)).rejects.toThrow('lease')
    }, 60_000)
  })
})
