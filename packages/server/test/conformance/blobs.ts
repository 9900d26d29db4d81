import { createHash, randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { marks } from './blobs-marks.js'
import { memoryGrowth } from './memory-growth.js'
import {
  newBlobKey,
  StorageError,
  type BlobKey,
  type Blobs,
  type Bytes,
  type Listed,
} from '../../src/ports/blobs/port.js'

export interface OpenedBlobs {
  /** An empty store. */
  readonly blobs: Blobs
  stop(): Promise<void>
}

const mib = 1024 * 1024
/** Two parts of a multipart upload. */
const twoParts = 9 * mib
/** Three parts, and more than the buffers of a connection. */
const large = 20 * mib

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function* inChunks(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await sleep(0)
    yield bytes.subarray(at, at + size)
  }
}

async function bytesOf(source: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Bytes that go on, or fail, when the test says so. */
function pausedAfter(bytes: Uint8Array) {
  const decided = new EventEmitter<{ decision: [failure: Error | undefined] }>()
  const decision = once(decided, 'decision')
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* inChunks(bytes)
    const [failure] = (await decision) as [Error | undefined]
    if (failure !== undefined) throw failure
  }
  return {
    source: source(),
    resume: () => decided.emit('decision', undefined),
    fail: (failure: Error) => decided.emit('decision', failure),
  }
}

/** Tests the guarantees of the port on one adapter. */
export function blobsConformance(open: () => Promise<OpenedBlobs>): void {
  let opened: OpenedBlobs
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.stop())

  const tools: Tools = {
    blobs: () => opened.blobs,
    put: async (bytes) => {
      const key = newBlobKey(1)
      await opened.blobs.put(key, inChunks(bytes))
      return key
    },
    read: async (key, first, last) => bytesOf(await opened.blobs.open(key, { first, last })),
    listed: async (key) => {
      const found: Listed[] = []
      for await (const entry of opened.blobs.list()) if (entry.key === key) found.push(entry)
      return found
    },
  }
  describe('put and open', { timeout: 60_000 }, () => objects(tools))
  describe('remove and list', { timeout: 60_000 }, () => removal(tools))
  describe('an interrupted put', { timeout: 60_000 }, () => interruptions(tools))
  describe('readers', { timeout: 60_000 }, () => readers(tools))
  describe('marks', { timeout: 60_000 }, () => marks(tools.blobs))
  describe('memory', { timeout: 60_000 }, () => memory(tools))
}

interface Tools {
  readonly blobs: () => Blobs
  readonly put: (bytes: Uint8Array) => Promise<BlobKey>
  readonly read: (key: BlobKey, first: number, last: number) => Promise<Buffer>
  /** The entries of a key in the list. */
  readonly listed: (key: BlobKey) => Promise<Listed[]>
}

function objects({ blobs, put, read }: Tools): void {
  it.each([0, 1, 100_000, 8 * mib, 8 * mib + 1, large])('an object of %i bytes is stored whole', async (size) => {
    const bytes = randomBytes(size)
    const key = newBlobKey(1)
    expect(await blobs().put(key, inChunks(bytes))).toEqual({ size, sha256: sha256Of(bytes) })
    expect(await blobs().sizeOf(key)).toBe(size)
    if (size > 0) expect((await read(key, 0, size - 1)).equals(bytes)).toBe(true)
  })

  it.each([
    [0, 0],
    [99_999, 99_999],
    [1, 70_000],
    [65_535, 65_536],
  ])('bytes %i to %i are read, both included', async (first, last) => {
    const bytes = randomBytes(100_000)
    expect((await read(await put(bytes), first, last)).equals(bytes.subarray(first, last + 1))).toBe(true)
  })

  it('a range beyond the end of the object is rejected', async () => {
    const key = await put(randomBytes(10))
    await expect(blobs().open(key, { first: 0, last: 10 })).rejects.toThrow(StorageError)
    await expect(blobs().open(key, { first: 10, last: 12 })).rejects.toThrow(StorageError)
  })

  it('a missing object is rejected, and has no size', async () => {
    const key = newBlobKey(1)
    await expect(blobs().open(key, { first: 0, last: 0 })).rejects.toThrow(StorageError)
    expect(await blobs().sizeOf(key)).toBeUndefined()
  })

  it('twenty objects are stored and read at the same time', async () => {
    const all = Array.from({ length: 20 }, (_, i) => randomBytes(i * 50_000 + 1))
    const keys = await Promise.all(all.map(put))
    const found = await Promise.all(keys.map((key, i) => read(key, 0, i * 50_000)))
    expect(found.map(sha256Of)).toEqual(all.map(sha256Of))
  })

  it('one chunk of 20 MiB, and empty chunks, are stored whole', async () => {
    const bytes = randomBytes(large)
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array()
      await sleep(0)
      yield bytes
      yield new Uint8Array()
    }
    const key = newBlobKey(1)
    expect(await blobs().put(key, source())).toEqual({ size: large, sha256: sha256Of(bytes) })
    expect((await read(key, large - 10, large - 1)).equals(bytes.subarray(-10))).toBe(true)
  })

  it('answers a ping', async () => {
    await blobs().ping()
  })
}

function removal({ blobs, put, listed }: Tools): void {
  it('a removed object is missing everywhere, and can be removed again', async () => {
    const key = await put(randomBytes(10))
    await blobs().remove(key)
    expect(await blobs().sizeOf(key)).toBeUndefined()
    expect(await listed(key)).toEqual([])
    await blobs().remove(key)
    await blobs().remove(newBlobKey(1))
  })

  it('the list has every object, and no other key', async () => {
    const before: BlobKey[] = []
    for await (const { key } of blobs().list()) before.push(key)
    const keys = await Promise.all(Array.from({ length: 12 }, () => put(randomBytes(3))))
    const after: Listed[] = []
    for await (const entry of blobs().list()) after.push(entry)
    const added = after.filter(({ key }) => !before.includes(key))
    expect(added.map(({ key }) => key).sort()).toEqual([...keys].sort())
    expect(added.every(({ isWhole }) => isWhole)).toBe(true)
  })

  it('a list that is left early does not disturb the next', async () => {
    await put(randomBytes(3))
    for await (const { key } of blobs().list()) {
      expect(key).toMatch(/^[0-9a-f]{32}-1$/)
      break
    }
    await blobs().ping()
  })
}

function interruptions({ blobs, listed }: Tools): void {
  it.each([0, 10, twoParts])(
    'a source that fails after %i bytes keeps nothing, and its error arrives',
    async (size) => {
      const key = newBlobKey(1)
      const { source, fail } = pausedAfter(randomBytes(size))
      const failure = new Error('The client has left.')
      const put = blobs().put(key, source)
      fail(failure)
      await expect(put).rejects.toBe(failure)
      expect(await blobs().sizeOf(key)).toBeUndefined()
      expect(await listed(key)).toEqual([])
    },
  )

  it('an object is missing until it is whole', async () => {
    const bytes = randomBytes(twoParts)
    const key = newBlobKey(1)
    const { source, resume } = pausedAfter(bytes)
    const put = blobs().put(key, source)
    await expect.poll(() => listed(key), { timeout: 20_000 }).toEqual([{ key, isWhole: false }])
    expect(await blobs().sizeOf(key)).toBeUndefined()
    await expect(blobs().open(key, { first: 0, last: 0 })).rejects.toThrow(StorageError)
    resume()
    await put
    expect(await listed(key)).toEqual([{ key, isWhole: true }])
  })

  it('a put whose bytes are removed meanwhile fails and leaves nothing', async () => {
    const key = newBlobKey(1)
    const { source, resume } = pausedAfter(randomBytes(twoParts))
    const put = blobs().put(key, source)
    await expect.poll(() => listed(key), { timeout: 20_000 }).toEqual([{ key, isWhole: false }])
    await blobs().remove(key)
    resume()
    await expect(put).rejects.toThrow(StorageError)
    expect(await blobs().sizeOf(key)).toBeUndefined()
    expect(await listed(key)).toEqual([])
  })
}

function readers({ blobs, put, read }: Tools): void {
  it('a reader that stops and leaves ends the read', async () => {
    const bytes = randomBytes(large)
    const key = await put(bytes)
    const reading = await blobs().open(key, { first: 0, last: large - 1 })
    for await (const chunk of reading) {
      expect((chunk as Buffer).equals(bytes.subarray(0, (chunk as Buffer).length))).toBe(true)
      await sleep(50)
      break
    }
    await expect.poll(() => reading.closed).toBe(true)
    expect((await read(key, 0, 4)).equals(bytes.subarray(0, 5))).toBe(true)
  })

  it('a reader of an object that is removed gets all of its bytes or an error', async () => {
    const bytes = randomBytes(large)
    const key = await put(bytes)
    const reading = await blobs().open(key, { first: 0, last: large - 1 })
    await blobs().remove(key)
    const outcome = await bytesOf(reading).then(sha256Of, (error: unknown) => error)
    if (outcome instanceof Error) return
    expect(outcome).toBe(sha256Of(bytes))
  })
}

function memory({ blobs }: Tools): void {
  it('64 MiB are stored and read in less than 40 MiB of memory', async () => {
    const size = 64 * mib
    const key = newBlobKey(1)
    const growth = await memoryGrowth(async (sample) => {
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < size; at += 64 * 1024) {
          if (at % (4 * mib) === 0) sample()
          await sleep(0)
          yield Buffer.alloc(64 * 1024, at / 1024)
        }
      }
      await blobs().put(key, source())
      let read = 0
      for await (const chunk of await blobs().open(key, { first: 0, last: size - 1 })) {
        const before = read
        read += (chunk as Buffer).length
        if (Math.floor(read / (8 * mib)) > Math.floor(before / (8 * mib))) sample()
      }
      expect(read).toBe(size)
    })
    expect(growth).toBeLessThan(40 * mib)
  })

  it('bytes that arrive one by one occupy no more than their number', async () => {
    const size = 200_000
    const growth = await memoryGrowth(async (sample) => {
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < size; at++) {
          if (at % 50_000 === 49_999) sample()
          // As from a socket: each chunk has its memory.
          yield new Uint8Array(1)
        }
      }
      expect((await blobs().put(newBlobKey(1), source())).size).toBe(size)
    })
    expect(growth).toBeLessThan(8 * mib)
  })
}
