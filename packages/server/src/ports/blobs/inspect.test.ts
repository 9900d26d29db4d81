import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { dropBlob } from '../../../test/blob-units.js'
import { later, someBytes, startIntakes, type Intakes } from '../../../test/intakes.js'
import { inspectObjects, inspectRows } from './inspect.js'
import { newBlobKey, StorageError, writerOf, type BlobKey, type Blobs } from './port.js'
import { writerStore, type WriterStore } from './writer-store.js'
import { leaseMs } from './writers.js'

/** What the operator is told about the rows of objects, and about objects without a row. */

describe.each(['sqlite', 'postgres'] as const)('the inspection on %s', (kind) => {
  let system: Intakes
  let store: WriterStore
  beforeAll(async () => {
    system = await startIntakes(kind)
    store = writerStore(system.processes.db)
  })
  afterAll(() => system.stop())
  afterEach(async () => {
    vi.useRealTimers()
    const rows = await store.page('', 2_000)
    await Promise.all(rows.map(({ key }) => system.processes.db.write(dropBlob, key)))
    for await (const { key } of system.blobs.list()) await system.blobs.remove(key)
  })

  /** The blob store with some other functions. */
  const storeWith = (other: Partial<Blobs>): Blobs => ({
    put: (key, bytes) => system.blobs.put(key, bytes),
    open: (key, range) => system.blobs.open(key, range),
    sizeOf: (key) => system.blobs.sizeOf(key),
    remove: (key) => system.blobs.remove(key),
    list: () => system.blobs.list(),
    ping: () => system.blobs.ping(),
    readMark: (name) => system.blobs.readMark(name),
    writeMark: (name, text) => system.blobs.writeMark(name, text),
    createMark: (name, text) => system.blobs.createMark(name, text),
    close: () => system.blobs.close(),
    ...other,
  })

  async function committed(): Promise<BlobKey> {
    const intake = system.intake()
    const { key } = await intake.put(someBytes())
    await system.commit(key)
    intake.settle(key)
    await intake.close()
    return key
  }
  const counts = async (blobs?: Blobs) => {
    const { uploading, orphans, laterState, otherNames } = await inspectObjects(store, blobs ?? system.blobs)
    return {
      uploading: uploading.first,
      orphans: orphans.first,
      laterState: laterState.first,
      otherNames: otherNames.first,
    }
  }
  const none = { uploading: [], orphans: [], laterState: [], otherNames: [] }

  describe('of rows', () => {
    it('finds nothing when each row has its object', async () => {
      await committed()
      const { rows, missing, otherSize, unknown } = await inspectRows(store, system.blobs)
      expect([rows, missing.count, otherSize.count, unknown.count]).toEqual([1, 0, 0, 0])
    })

    it('finds rows whose object is missing or has another size', async () => {
      const [lost, longer] = [await committed(), await committed(), await committed()]
      await rm(system.pathOf(lost))
      await appendFile(system.pathOf(longer), 'more')
      const { rows, missing, otherSize } = await inspectRows(store, system.blobs)
      expect(rows).toBe(3)
      expect(missing).toEqual({ count: 1, first: [{ key: lost, size: 10 }] })
      expect(otherSize).toEqual({ count: 1, first: [{ key: longer, size: 10, objectSize: 14 }] })
    })

    it('does not report a file that is deleted in the meantime', async () => {
      await committed()
      const deleting = storeWith({
        async sizeOf(key) {
          await system.processes.otherDb.write(dropBlob, key)
          await system.blobs.remove(key)
          return system.blobs.sizeOf(key)
        },
      })
      expect((await inspectRows(store, deleting)).missing.count).toBe(0)
    })

    it('reads all pages, keeps the first 20 entries in the order of their keys, and counts the others', async () => {
      const intake = system.intake()
      const keys: BlobKey[] = []
      const addRow = async () => {
        const { key } = await intake.put(someBytes())
        keys.push(key)
        await Promise.all([system.commit(key), rm(system.pathOf(key))])
      }
      for (let i = 0; i < 91; i++) await Promise.all(Array.from({ length: 11 }, addRow))
      await intake.close()
      const { rows, missing } = await inspectRows(store, system.blobs)
      expect([rows, missing.count]).toEqual([1_001, 1_001])
      expect(missing.first.map(({ key }) => key)).toEqual(keys.sort().slice(0, 20))
    }, 60_000)

    it('goes on after an object that cannot be looked up, and ends when the store is unreachable', async () => {
      const [broken] = [await committed(), await committed()].sort()
      const failing = (isBroken: (key: BlobKey) => boolean) =>
        storeWith({
          sizeOf: (key) => (isBroken(key) ? Promise.reject(new StorageError('It failed.')) : system.blobs.sizeOf(key)),
        })
      const { rows, unknown } = await inspectRows(
        store,
        failing((key) => key === broken),
      )
      expect(rows).toBe(2)
      expect(unknown).toEqual({ count: 1, first: [{ key: broken, size: 10, problem: 'It failed.' }] })
      for (let i = 0; i < 8; i++) await committed()
      await expect(
        inspectRows(
          store,
          failing(() => true),
        ),
      ).rejects.toThrow('It failed.')
    })
  })

  describe('of objects', () => {
    it('finds nothing when each object has a row', async () => {
      await committed()
      expect(await counts()).toEqual(none)
      expect((await inspectObjects(store, system.blobs)).objects).toBe(1)
    })

    it('tells the objects of a running process from those that the sweep will remove', async () => {
      const running = system.intake()
      const { key } = await running.put(someBytes())
      expect(await counts()).toEqual({ ...none, uploading: [key] })
      later(leaseMs + 1)
      expect(await counts()).toEqual({ ...none, orphans: [key] })
      vi.useRealTimers()
      await running.close()
      expect(await counts()).toEqual({ ...none, orphans: [key] })
    })

    it('tells the objects of a later state of the database from those that the sweep will remove', async () => {
      const unknown = newBlobKey(7)
      await system.blobs.put(unknown, someBytes())
      const running = system.intake()
      const { key } = await running.put(someBytes())
      await system.blobs.writeMark(`writer-${writerOf(key)!}`, '1')
      expect(await counts()).toEqual({ ...none, uploading: [key], laterState: [unknown] })
      later(leaseMs + 1)
      const { laterState, ...others } = await counts()
      expect([laterState.sort(), others]).toEqual([
        [unknown, key].sort(),
        { uploading: [], orphans: [], otherNames: [] },
      ])
      await system.blobs.writeMark(`writer-${writerOf(key)!}`, '0')
      expect(await counts()).toEqual({ ...none, orphans: [key], laterState: [unknown] })
    })

    it('changes nothing: an expired lease can still be renewed', async () => {
      const running = system.intake()
      const { key } = await running.put(someBytes())
      later(leaseMs + 1)
      await counts()
      await system.lease(running)
      await system.commit(key)
    })

    it('finds the remains of an interrupted upload, and names that svc did not make', async () => {
      const { key } = await system.intake().put(someBytes())
      await rm(system.pathOf(key))
      await writeFile(join(system.folder, 'unfinished', key), 'half')
      await mkdir(join(system.folder, 'a', 'a'), { recursive: true })
      await writeFile(join(system.folder, 'a', 'a', 'README'), '')
      expect(await counts()).toEqual({ ...none, uploading: [key], otherNames: ['README'] })
      await rm(join(system.folder, 'a', 'a', 'README'))
    })

    it('does not report an upload that is committed between the two reads, also when its process ends', async () => {
      const intake = system.intake()
      const { key } = await intake.put(someBytes())
      let isCommitted = false
      const commitAfter = async <R>(read: Promise<R>): Promise<R> => {
        const found = await read
        if (!isCommitted) {
          isCommitted = true
          await system.commit(key)
          intake.settle(key)
          await intake.close()
        }
        return found
      }
      const racing: WriterStore = {
        ...store,
        all: () => commitAfter(store.all()),
        inUse: (keys) => commitAfter(store.inUse(keys)),
      }
      expect((await inspectObjects(racing, system.blobs)).orphans.first).toEqual([])
    })

    it('does not report an upload that is committed after the listing, also when its process ends', async () => {
      const intake = system.intake()
      const { key } = await intake.put(someBytes())
      const committing = storeWith({
        async *list() {
          yield { key, isWhole: true }
          await system.commit(key)
          intake.settle(key)
          await intake.close()
        },
      })
      expect(await counts(committing)).toEqual(none)
    })
  })
})
