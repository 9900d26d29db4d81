import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { commitBlob, commitBlobSlowly, dropBlob } from '../../../test/blob-units.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { BlobIntake } from './intake.js'
import type { BlobKey, Blobs } from './port.js'
import { writerOf } from './port.js'
import { selectBlobs } from './select.js'
import { leaseMs, writerMs } from './writers.js'

const never = new AbortController().signal
async function* someBytes(text = 'some bytes') {
  yield Buffer.from(text)
}

const later = (ms: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}
afterEach(() => {
  vi.useRealTimers()
})

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let folder: string
  let processes: TwoProcesses
  let blobs: Blobs
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => logged.push(line) })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-intake-'))
    processes = await twoProcesses(kind)
    blobs = await selectBlobs({ kind: 'disk', folder })
  })
  afterAll(async () => {
    await processes.stop()
    await rm(folder, { recursive: true })
  })

  const intake = (store = blobs) => new BlobIntake(processes.db, store, log)
  /** A second process on the same database and disk. */
  const otherIntake = () => new BlobIntake(processes.otherDb, blobs, log)
  const commit = (key: BlobKey) => processes.db.write(commitBlob, key, 10)
  const exists = async (key: BlobKey) => (await blobs.sizeOf(key)) !== undefined
  const pathOf = (key: BlobKey) => join(folder, key.charAt(0), key.charAt(1), key)
  const lease = (of: BlobIntake) => of.jobs.find(({ name }) => name === 'blobs.lease')!.run(never)

  it('put stores the bytes under a new key', async () => {
    const one = await intake().put(someBytes())
    expect(one).toMatchObject({ size: 10, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await blobs.sizeOf(one.key)).toBe(10)
  })

  describe('the sweep', () => {
    it('removes an object without a row whose process has stopped', async () => {
      const stopped = intake()
      const { key } = await stopped.put(someBytes())
      await stopped.close()
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(false)
    })

    it('removes an object without a row whose process was killed, when its lease has expired', async () => {
      const { key } = await intake().put(someBytes())
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(true)
      later(leaseMs + 1)
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(false)
    })

    it('removes the remains of an interrupted upload', async () => {
      const { key } = await intake().put(someBytes())
      const unfinished = join(folder, 'unfinished', key)
      await writeFile(unfinished, 'half')
      later(leaseMs + 1)
      await otherIntake().sweep(never)
      await expect(rm(unfinished)).rejects.toThrow('ENOENT')
    })

    it('keeps the objects of living processes', async () => {
      const living = intake()
      const { key } = await living.put(someBytes())
      later(leaseMs - 1_000)
      await lease(living)
      later(leaseMs - 1_000)
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(true)
      await commit(key)
    })

    it('keeps objects with a row, until the row is deleted', async () => {
      const stopped = intake()
      const { key } = await stopped.put(someBytes())
      await commit(key)
      stopped.settle(key)
      await stopped.close()
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(true)
      await processes.db.write(dropBlob, key)
      await otherIntake().sweep(never)
      expect(await exists(key)).toBe(false)
    })

    it('keeps files that svc did not make', async () => {
      const names = [
        'README',
        `${'a'.repeat(32)}`,
        `${'a'.repeat(32)}-0`,
        `${'A'.repeat(32)}-1`,
        `${'a'.repeat(32)}-1.bak`,
      ]
      for (const name of names) {
        await mkdir(join(folder, 'a', 'a'), { recursive: true })
        await writeFile(join(folder, 'a', 'a', name), '')
      }
      later(leaseMs + 1)
      await otherIntake().sweep(never)
      for (const name of names) await rm(join(folder, 'a', 'a', name))
    })

    it('goes on after an object that cannot be removed, and fails at the end', async () => {
      const stopped = intake()
      const keys: BlobKey[] = []
      for (let i = 0; i < 5; i++) keys.push((await stopped.put(someBytes())).key)
      await stopped.close()
      // A directory cannot be unlinked.
      const broken = `${'5'.repeat(32)}-${String(writerOf(keys[0]!))}`
      const failing: Blobs = {
        put: (key, bytes) => blobs.put(key, bytes),
        open: (key, range) => blobs.open(key, range),
        sizeOf: (key) => blobs.sizeOf(key),
        ping: () => blobs.ping(),
        close: () => blobs.close(),
        async *list() {
          yield { key: broken, isWhole: true }
          yield* blobs.list()
        },
        remove: (key) => blobs.remove(key),
      }
      await mkdir(pathOf(broken))
      await expect(intake(failing).sweep(never)).rejects.toThrow('A stored file cannot be removed')
      expect(await Promise.all(keys.map(exists))).toEqual(keys.map(() => false))
      await rm(pathOf(broken), { recursive: true })
    })

    it('ends between two objects when the server stops', async () => {
      const stopped = intake()
      const { key } = await stopped.put(someBytes())
      await stopped.close()
      await otherIntake().sweep(AbortSignal.abort())
      expect(await exists(key)).toBe(true)
    })
  })

  describe('a commit', () => {
    it('is rejected after the lease was lost', async () => {
      const suspended = intake()
      const { key } = await suspended.put(someBytes())
      later(leaseMs + 1)
      await otherIntake().sweep(never)
      await expect(commit(key)).rejects.toThrow('whose lease has expired')
      await suspended.discard(key)
      expect(logged.join()).not.toContain(key)
    })

    it('of a process whose lease was lost succeeds with the next object', async () => {
      const suspended = intake()
      await suspended.put(someBytes())
      later(leaseMs + 1)
      await otherIntake().sweep(never)
      const { key } = await suspended.put(someBytes())
      await commit(key)
      await lease(suspended)
      expect(await exists(key)).toBe(true)
    })
  })

  describe('discard', () => {
    it('removes an object without a row', async () => {
      const one = intake()
      const { key } = await one.put(someBytes())
      await one.discard(key)
      expect(await exists(key)).toBe(false)
    })

    it('keeps an object whose commit succeeded although its answer was lost', async () => {
      const one = intake()
      const { key } = await one.put(someBytes())
      await commit(key)
      await one.discard(key)
      expect(await exists(key)).toBe(true)
    })
  })

  // SQLite has one transaction at a time.
  if (kind === 'postgres')
    describe('a transaction that is open', () => {
      it('a commit that is under way when the lease expires keeps its object', async () => {
        const slow = intake()
        const { key } = await slow.put(someBytes())
        const committed = processes.db.write(commitBlobSlowly, key, 10)
        await sleep(200)
        later(leaseMs + 1)
        await otherIntake().sweep(never)
        await committed
        expect(await exists(key)).toBe(true)
      })

      it('a commit does not delay the renewal of the lease', async () => {
        const slow = intake()
        const { key } = await slow.put(someBytes())
        let isCommitted = false
        const committed = processes.db.write(commitBlobSlowly, key, 10).then(() => (isCommitted = true))
        await sleep(200)
        await lease(slow)
        expect(isCommitted).toBe(false)
        await committed
      })

      it('discard waits for a commit that is still under way', async () => {
        const one = intake()
        const { key } = await one.put(someBytes())
        const committed = processes.otherDb.write(commitBlobSlowly, key, 10)
        await sleep(200)
        await one.discard(key)
        await committed
        expect(await exists(key)).toBe(true)
      })
    })

  it('discard and remove log what cannot be removed and go on', async () => {
    const one = intake()
    const broken = await one.put(someBytes())
    const others = await Promise.all(Array.from({ length: 20 }, () => one.put(someBytes())))
    await rm(pathOf(broken.key))
    await mkdir(pathOf(broken.key))
    logged.length = 0
    await one.remove([broken.key, ...others.map(({ key }) => key)])
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0]!)).toMatchObject({ level: 40, key: broken.key, msg: expect.stringContaining('sweep') })
    expect(await Promise.all(others.map(({ key }) => exists(key)))).toEqual(others.map(() => false))
    await one.discard(broken.key)
    expect(logged).toHaveLength(2)
    await rm(pathOf(broken.key), { recursive: true })
  })

  describe('after a day', () => {
    it('a process has a new writer, so that what it left behind is swept', async () => {
      const longLived = intake()
      const left = await longLived.put(someBytes())
      longLived.settle(left.key)
      later(writerMs)
      const { key } = await longLived.put(someBytes())
      expect(writerOf(key)).toBeGreaterThan(writerOf(left.key)!)
      await lease(longLived)
      await otherIntake().sweep(never)
      expect(await exists(left.key)).toBe(false)
      await commit(key)
      expect(await exists(key)).toBe(true)
    })

    it('the old writer stays until its upload is committed', async () => {
      const longLived = intake()
      const slow = await longLived.put(someBytes())
      for (let quarters = 0; quarters < 100; quarters++) {
        later(leaseMs - 1)
        await lease(longLived)
      }
      const next = await longLived.put(someBytes())
      expect(writerOf(next.key)).toBeGreaterThan(writerOf(slow.key)!)
      await lease(longLived)
      await otherIntake().sweep(never)
      await commit(slow.key)
      longLived.settle(slow.key)
      expect(await exists(slow.key)).toBe(true)
      await lease(longLived)
      await otherIntake().sweep(never)
      expect(await exists(slow.key)).toBe(true)
      await expect(commit(`${'0'.repeat(32)}-${String(writerOf(slow.key))}`)).rejects.toThrow('lease')
    })
  })
})
