import { mkdir, rm, writeFile } from 'node:fs/promises'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { dropBlob } from '../../../test/blob-units.js'
import { later, never, someBytes, startIntakes, type Intakes } from '../../../test/intakes.js'
import { twoProcesses } from '../../../test/two-processes.js'
import { BlobIntake } from './intake.js'
import { newBlobKey, writerOf, type BlobKey, type Blobs } from './port.js'
import { selectBlobs } from './select.js'
import { leaseMs } from './writers.js'

describe.each(['sqlite', 'postgres'] as const)('the sweep on %s', (kind) => {
  let system: Intakes
  beforeAll(async () => {
    system = await startIntakes(kind)
  })
  afterAll(() => system.stop())
  afterEach(() => {
    vi.useRealTimers()
  })

  it('removes an object without a row whose process has stopped', async () => {
    const stopped = system.intake()
    const { key } = await stopped.put(someBytes())
    await stopped.close()
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(false)
  })

  it('removes an object without a row whose process was killed, when its lease has expired', async () => {
    const { key } = await system.intake().put(someBytes())
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(true)
    later(leaseMs + 1)
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(false)
  })

  it('removes the remains of an interrupted upload', async () => {
    const { key } = await system.intake().put(someBytes())
    const unfinished = join(system.folder, 'unfinished', key)
    await writeFile(unfinished, 'half')
    later(leaseMs + 1)
    await system.otherIntake().sweep(never)
    await expect(rm(unfinished)).rejects.toThrow('ENOENT')
  })

  it('keeps the objects of living processes', async () => {
    const living = system.intake()
    const { key } = await living.put(someBytes())
    later(leaseMs - 1_000)
    await system.lease(living)
    later(leaseMs - 1_000)
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(true)
    await system.commit(key)
  })

  it('keeps objects with a row, until the row is deleted', async () => {
    const stopped = system.intake()
    const { key } = await stopped.put(someBytes())
    await system.commit(key)
    stopped.settle(key)
    await stopped.close()
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(true)
    await system.processes.db.write(dropBlob, key)
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(false)
  })

  it('keeps files that svc did not make', async () => {
    const names = ['README', 'a'.repeat(32), `${'a'.repeat(32)}-0`, `${'A'.repeat(32)}-1`, `${'a'.repeat(32)}-1.bak`]
    for (const name of names) {
      await mkdir(join(system.folder, 'a', 'a'), { recursive: true })
      await writeFile(join(system.folder, 'a', 'a', name), '')
    }
    later(leaseMs + 1)
    await system.otherIntake().sweep(never)
    for (const name of names) await rm(join(system.folder, 'a', 'a', name))
  })

  it('goes on after an object that cannot be removed, and fails at the end', async () => {
    const stopped = system.intake()
    const keys: BlobKey[] = []
    for (let i = 0; i < 5; i++) keys.push((await stopped.put(someBytes())).key)
    await stopped.close()
    // A directory cannot be unlinked.
    const broken = `${'5'.repeat(32)}-${String(writerOf(keys[0]!))}`
    const failing: Blobs = {
      put: (key, bytes) => system.blobs.put(key, bytes),
      open: (key, range) => system.blobs.open(key, range),
      sizeOf: (key) => system.blobs.sizeOf(key),
      ping: () => system.blobs.ping(),
      readMark: (name) => system.blobs.readMark(name),
      writeMark: (name, text) => system.blobs.writeMark(name, text),
      createMark: (name, text) => system.blobs.createMark(name, text),
      close: () => system.blobs.close(),
      async *list() {
        yield { key: broken, isWhole: true }
        yield* system.blobs.list()
      },
      remove: (key) => system.blobs.remove(key),
    }
    await mkdir(system.pathOf(broken))
    await expect(system.intake(failing).sweep(never)).rejects.toThrow('A stored file cannot be removed')
    expect(await Promise.all(keys.map(system.exists))).toEqual(keys.map(() => false))
    await rm(system.pathOf(broken), { recursive: true })
  })

  it('ends between two objects when the server stops', async () => {
    const stopped = system.intake()
    const { key } = await stopped.put(someBytes())
    await stopped.close()
    await system.otherIntake().sweep(AbortSignal.abort())
    expect(await system.exists(key)).toBe(true)
  })

  it('neither stores nor sweeps in the store of another installation', async () => {
    const stopped = system.intake()
    const { key } = await stopped.put(someBytes())
    await stopped.close()
    const other = await twoProcesses(kind)
    try {
      const foreign = new BlobIntake(other.db, system.blobs, system.log)
      await expect(foreign.put(someBytes())).rejects.toThrow('The blob store belongs to the installation')
      await expect(foreign.sweep(never)).rejects.toThrow('The blob store belongs to the installation')
    } finally {
      await other.stop()
    }
    expect(await system.exists(key)).toBe(true)
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(false)
  })

  it('processes that start together take a store that no installation owns, also after an interrupted attempt', async () => {
    const empty = join(system.folder, 'empty')
    const store = await selectBlobs({ kind: 'disk', folder: empty })
    await system.intake(store).sweep(never)
    await writeFile(join(empty, 'marks', 'owner.0123456789abcdef'), 'half')
    const starting = [
      new BlobIntake(system.processes.db, store, system.log),
      new BlobIntake(system.processes.otherDb, store, system.log),
    ]
    const stored = await Promise.all(starting.flatMap((one) => [one.put(someBytes()), one.put(someBytes())]))
    for (const { key } of stored) expect(await store.sizeOf(key)).toBe(10)
    await system.intake(store).sweep(never)
  })
  it('of two installations that take an empty store at the same time, one notices before it stores anything', async () => {
    const store = await selectBlobs({ kind: 'disk', folder: join(system.folder, 'contested') })
    const other = await twoProcesses(kind)
    let looked = 0
    const steps = new EventEmitter<{ bothHaveLooked: []; firstHasStored: [] }>()
    const contested: Blobs = {
      put: (key, bytes) => store.put(key, bytes),
      open: (key, range) => store.open(key, range),
      sizeOf: (key) => store.sizeOf(key),
      remove: (key) => store.remove(key),
      list: () => store.list(),
      ping: () => store.ping(),
      close: () => store.close(),
      readMark: (name) => store.readMark(name),
      writeMark: (name, text) => store.writeMark(name, text),
      async createMark(name, text) {
        const isFirst = ++looked === 1
        const turn = once(steps, isFirst ? 'bothHaveLooked' : 'firstHasStored')
        if (!isFirst) steps.emit('bothHaveLooked')
        await turn
        await store.createMark(name, text)
      },
    }
    try {
      const rivals = [system.intake(contested), new BlobIntake(other.db, contested, system.log)]
      const puts = rivals.map((rival) => rival.put(someBytes()))
      await Promise.any(puts)
      steps.emit('firstHasStored')
      const outcomes = await Promise.allSettled(puts)
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const loser = outcomes.find((outcome) => outcome.status === 'rejected')
      expect(String(loser?.reason)).toContain('The blob store belongs to the installation')
      let objects = 0
      for await (const { isWhole } of store.list()) if (isWhole) objects++
      expect(objects).toBe(1)
    } finally {
      await other.stop()
    }
  })

  it('leaves the event loop to others between batches', async () => {
    const stopped = system.intake()
    await stopped.put(someBytes())
    await stopped.close()
    let turns = 0
    const turnsAt: number[] = []
    // A provider answers with many names at once.
    const listing: Blobs = Object.create(system.blobs, {
      list: {
        async *value() {
          turnsAt.push(turns)
          for (let i = 0; i < 3_000; i++) yield { key: newBlobKey(1), isWhole: true }
          turnsAt.push(turns)
        },
      },
    }) as Blobs
    const counting = setInterval(() => turns++, 1)
    await system.intake(listing).sweep(never)
    clearInterval(counting)
    const [before, after] = turnsAt
    expect(after! - before!).toBeGreaterThanOrEqual(5)
  })
})
