import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { asStream, StorageError, type ByteRange } from '../blobs/port.js'
import { edgeConformance } from '../../../test/conformance/edge.js'
import { embeddedEdge } from './embedded-edge.js'
import type { Edge, EdgeObject } from './port.js'

const cacheBytes = 64 * 1024 * 1024

describe('conformance', () => {
  edgeConformance((originPort) =>
    Promise.resolve({
      edge: embeddedEdge({ cacheBytes }),
      url: `http://127.0.0.1:${String(originPort)}`,
      stop: () => Promise.resolve(),
    }),
  )
})

/** An object in a blob store that records the fetched ranges. */
function storedObject(more: Partial<EdgeObject> & { content?: Buffer } = {}) {
  const { content = Buffer.from('content') } = more
  const fetched: ByteRange[] = []
  const fetch = (range: ByteRange) => {
    fetched.push(range)
    return Promise.resolve(Readable.from(content.subarray(range.first, range.last + 1), { objectMode: false }))
  }
  return { fetched, content, fileId: 1, version: 1, size: content.length, ttl: 60, fetch, ...more }
}

const whole = ({ size }: EdgeObject): ByteRange => ({ first: 0, last: size - 1 })

/** Opens and reads an object. @returns whether it was a hit */
async function open(edge: Edge, object: ReturnType<typeof storedObject>, range = whole(object)): Promise<boolean> {
  const { bytes, isHit } = await edge.open(object, range)
  expect((await buffer(asStream(bytes))).equals(object.content.subarray(range.first, range.last + 1))).toBe(true)
  return isHit
}

describe('what is cached', () => {
  it('objects up to 1/16 of the cache are cached; larger ones are always misses', async () => {
    const edge = embeddedEdge({ cacheBytes: 1_600_000 })
    const largest = storedObject({ content: Buffer.alloc(100_000, 'a') })
    const larger = storedObject({ fileId: 2, content: Buffer.alloc(100_001, 'b') })
    expect([await open(edge, largest), await open(edge, largest)]).toEqual([false, true])
    expect([await open(edge, larger), await open(edge, larger, { first: 5, last: 9 })]).toEqual([false, false])
    expect(larger.fetched).toEqual([whole(larger), { first: 5, last: 9 }])
  })

  it('a range of an object that is not cached fetches the whole object', async () => {
    const edge = embeddedEdge({ cacheBytes })
    const object = storedObject()
    expect([await open(edge, object, { first: 2, last: 3 }), await open(edge, object)]).toEqual([false, true])
    expect(object.fetched).toEqual([whole(object)])
  })

  it('a cache of 0 bytes caches nothing', async () => {
    const edge = embeddedEdge({ cacheBytes: 0 })
    const object = storedObject({ content: Buffer.from('x') })
    expect([await open(edge, object), await open(edge, object)]).toEqual([false, false])
  })

  it('the cache never has more than it holds: the least recently used objects are dropped', async () => {
    const edge = embeddedEdge({ cacheBytes: 1_600_000 })
    const objects = Array.from({ length: 30 }, (_, index) =>
      storedObject({ fileId: index + 1, content: Buffer.alloc(100_000, index) }),
    )
    for (const object of objects) await open(edge, object)
    const hits: boolean[] = []
    // From the newest to the oldest, because a miss drops others.
    for (const object of objects.toReversed()) hits.push(await open(edge, object))
    expect(hits.filter(Boolean)).toHaveLength(11)
  })

  it('a version is cached only for itself: an older one does not replace a newer one', async () => {
    const edge = embeddedEdge({ cacheBytes })
    const [older, newer] = [storedObject(), storedObject({ version: 2, content: Buffer.from('changed') })]
    expect([await open(edge, newer), await open(edge, older), await open(edge, newer)]).toEqual([false, false, true])
    expect([await open(edge, older), older.fetched.length]).toEqual([false, 2])
  })

  it('objects that are being read count: further ones are sent from the blob store', async () => {
    const edge = embeddedEdge({ cacheBytes: 1_600_000 }, 500)
    const pending = Array.from({ length: 4 }, (_, index) =>
      storedObject({ fileId: index + 1, size: 100_000, fetch: () => new Promise(() => undefined) }),
    )
    const opened = Promise.allSettled(pending.map((object) => edge.open(object, whole(object))))
    const fifth = storedObject({ fileId: 5, content: Buffer.alloc(1_000) })
    expect([await open(edge, fifth), await open(edge, fifth)]).toEqual([false, false])
    expect((await opened).map(({ status }) => status)).toEqual(pending.map(() => 'rejected'))
  })
})

describe('a fill', () => {
  it('a fill ends at its deadline, for all that wait, and closes a stream that opens later', async () => {
    const edge = embeddedEdge({ cacheBytes }, 100)
    let openLate: (bytes: Readable) => void = () => undefined
    const object = storedObject({ fetch: () => new Promise((resolve) => (openLate = resolve)) })
    const waiting = [edge.open(object, whole(object)), edge.open(object, whole(object))]
    for (const { status, reason } of (await Promise.allSettled(waiting)) as PromiseRejectedResult[])
      expect([status, (reason as Error).message]).toEqual(['rejected', 'A stored file could not be read in time.'])
    const late = new Readable({ read: () => undefined })
    openLate(late)
    await sleep(0)
    expect(late.destroyed).toBe(true)
    expect(await open(edge, storedObject())).toBe(false)
  })

  it('a fill ends at its deadline when the bytes stop', async () => {
    const edge = embeddedEdge({ cacheBytes }, 100)
    const stopped = new Readable({ read: () => undefined })
    const object = storedObject({ fetch: () => Promise.resolve(stopped) })
    await expect(edge.open(object, whole(object))).rejects.toThrow('A stored file could not be read in time.')
    expect(stopped.destroyed).toBe(true)
  })

  it.each([
    ['longer', 'content and more'],
    ['shorter', 'cont'],
  ])('a fill fails for an object that is %s than its row says', async (how, text) => {
    const edge = embeddedEdge({ cacheBytes })
    const object = storedObject({
      fetch: () => Promise.resolve(Readable.from(Buffer.from(text), { objectMode: false })),
    })
    await expect(edge.open(object, whole(object))).rejects.toThrow(`A stored file is ${how} than it should be.`)
  })

  it('a fill fails with a StorageError when the stream breaks', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('EIO')) })
    const object = storedObject({ fetch: () => Promise.resolve(broken) })
    await expect(embeddedEdge({ cacheBytes }).open(object, whole(object))).rejects.toBeInstanceOf(StorageError)
  })
})

it('an answer continues from the blob store when its copy is dropped', async () => {
  const edge = embeddedEdge({ cacheBytes })
  const object = storedObject({ content: Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251)) })
  await open(edge, object)
  const { bytes, isHit } = await edge.open(object, whole(object))
  const iterator = asStream(bytes)[Symbol.asyncIterator]()
  const first = (await iterator.next()).value as Buffer
  await edge.purge([object.fileId])
  const rest: Buffer[] = []
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
    rest.push(next.value as Buffer)
  expect([isHit, Buffer.concat([first, ...rest]).equals(object.content)]).toEqual([true, true])
  expect(object.fetched).toHaveLength(2)
})
