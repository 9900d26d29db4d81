import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileStorage, type FileStorage } from '../../../../test/file-storage.js'
import type { Blobs } from '../../../ports/blobs/port.js'
import type { FilePart } from './content-store.js'
import { joinedStream, piecesOf, type Piece } from './open-file.js'

let site: FileStorage
let parts: FilePart[]
let whole: Buffer
/** The streams that were opened, to see whether they are closed. */
let opened: Readable[]
let watched: Blobs

beforeAll(async () => {
  site = await fileStorage('sqlite')
  const contents = [1_500_000, 3, 700_000].map((size, i) => Buffer.alloc(size, `part ${i} `))
  const stored = await Promise.all(contents.map((content) => site.put(content)))
  parts = stored.map(({ key, size }, i) => ({ key, size, start: Buffer.concat(contents.slice(0, i)).length }))
  whole = Buffer.concat(contents)
  opened = []
  const open: Blobs['open'] = async (key, range) => {
    const stream = await site.blobs.open(key, range)
    opened.push(stream)
    return stream
  }
  watched = { ...site.blobs, open }
})
afterAll(() => site.stop())

const pieces = (first: number, last: number) =>
  piecesOf(
    (rest) => Promise.resolve(parts.filter(({ start, size }) => start + size > rest.first && start <= rest.last)),
    { first, last },
  )

/** The first ten bytes of the first object, as one of several pieces. */
const piece = (): Piece => ({ key: parts[0]!.key, range: { first: 0, last: 9 }, isLast: false })

async function* listed(...list: readonly Piece[]): AsyncGenerator<Piece, undefined> {
  yield* list
  return undefined
}

describe('joinedStream', () => {
  it.each([
    ['everything', 0, 2_200_002],
    ['a part of the first object', 5, 999],
    ['the end of one and the start of the next', 1_499_999, 1_500_003],
    ['the last byte', 2_200_002, 2_200_002],
  ])('reads %s', async (_, first, last) => {
    const read = await buffer(await joinedStream(watched, pieces(first, last)))
    expect(read.equals(whole.subarray(first, last + 1))).toBe(true)
    for (const stream of opened.splice(0)) if (!stream.closed) await once(stream, 'close')
  })

  it('has one object open at a time, and closes it if the reader leaves', async () => {
    const stream = await joinedStream(watched, pieces(0, 2_200_002))
    await once(stream, 'readable')
    expect(opened).toHaveLength(1)
    stream.destroy()
    await once(opened[0]!, 'close')
    expect(opened.splice(0)).toHaveLength(1)
  })

  it('closes an object that was being opened when the reader left', async () => {
    let finish: () => void = () => undefined
    let begin: () => void = () => undefined
    const hasBegun = new Promise<void>((resolve) => (begin = resolve))
    const slow: Blobs = {
      ...watched,
      open: async (key, range) => {
        if (key === parts[1]!.key)
          await new Promise<void>((resolve) => {
            finish = resolve
            begin()
          })
        return watched.open(key, range)
      },
    }
    const stream = await joinedStream(slow, pieces(1_499_999, 1_500_001))
    stream.resume()
    await hasBegun
    stream.destroy()
    finish()
    await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true, true])
    opened = []
  })

  it('holds at most one chunk, besides those that the stream of the object holds', async () => {
    const stream = await joinedStream(watched, pieces(0, 2_200_002))
    await once(stream, 'readable')
    await expect.poll(() => opened[0]!.readableLength).toBeGreaterThan(0)
    expect(stream.readableLength).toBeLessThanOrEqual(opened[0]!.readableHighWaterMark)
    stream.destroy()
    await once(opened.splice(0)[0]!, 'close')
  })

  it('does not open a later object before the reader has read the one before', async () => {
    const stream = await joinedStream(watched, pieces(0, 2_200_002))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(opened).toHaveLength(1)
    expect(stream.readableLength).toBeLessThan(2_000_000)
    stream.destroy()
    await once(opened.splice(0)[0]!, 'close')
  })

  it('rejects if the first object is missing', async () => {
    const missing = { ...piece(), key: `${'0'.repeat(32)}-1` }
    await expect(joinedStream(site.blobs, listed(missing))).rejects.toThrow('A stored file cannot be read')
  })

  it('fails if a later object is missing', async () => {
    const stream = await joinedStream(site.blobs, listed(piece(), { ...piece(), key: `${'0'.repeat(32)}-1` }))
    await expect(buffer(stream)).rejects.toThrow('A stored file cannot be read')
  })

  it('reads 1,000 objects without a warning about listeners', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const many: Blobs = { ...site.blobs, open: async () => Readable.from([Buffer.from('x')]) }
    const list = listed(...Array.from({ length: 1000 }, piece))
    expect((await buffer(await joinedStream(many, list))).length).toBe(1000)
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})
