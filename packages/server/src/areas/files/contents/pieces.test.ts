import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ByteRange } from '../../../ports/blobs/port.js'
import type { FilePart } from './content-store.js'
import { piecesOf, type Piece } from './open-file.js'

/** Parts that follow one another. */
const parts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 }).map((sizes) => {
  let start = 0
  return sizes.map((size, index): FilePart => {
    start += size
    return { key: String(index), size, start: start - size }
  })
})

/** Each byte of a part as its key and its place in the part. */
const bytesOf = ({ key, size }: FilePart) => Array.from({ length: size }, (_, at) => `${key}:${at}`)

/** Reads at most `max` parts at a time. */
const reader = (some: readonly FilePart[], max: number) => (range: ByteRange) =>
  Promise.resolve(some.filter(({ size, start }) => start + size > range.first && start <= range.last).slice(0, max))

it('the pieces of a range are its bytes, in order, no piece is empty, and the last one says so', async () => {
  await fc.assert(
    fc.asyncProperty(parts, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 4 }), async (some, a, b, max) => {
      const whole = some.flatMap(bytesOf)
      const [first, last] = [a % whole.length, b % whole.length].sort((x, y) => x - y) as [number, number]
      const pieces: Piece[] = []
      for await (const piece of piecesOf(reader(some, max), { first, last })) pieces.push(piece)
      const read = pieces.flatMap(({ key, range }) =>
        Array.from({ length: range.last - range.first + 1 }, (_, at) => `${key}:${range.first + at}`),
      )
      expect(read).toEqual(whole.slice(first, last + 1))
      expect(new Set(pieces.map(({ key }) => key)).size).toBe(pieces.length)
      expect(pieces.map(({ isLast }) => isLast)).toEqual(pieces.map((_, i) => i === pieces.length - 1))
    }),
  )
})

it.each<[string, FilePart[], string]>([
  ['no parts', [], 'The file has been deleted.'],
  ['the first one missing', [{ key: 'b', size: 2, start: 2 }], 'A part of a stored file is missing.'],
  ['none for the first byte', [{ key: 'a', size: 1, start: 0 }], 'A part of a stored file is missing.'],
])('a range of a file with %s fails', async (_, some, message) => {
  const pieces = piecesOf(() => Promise.resolve(some), { first: 1, last: 3 })
  await expect(pieces.next()).rejects.toThrow(message)
})
