import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { piecesOf, type Part } from './pieces.js'

const parts = fc
  .array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 12 })
  .map((sizes): Part[] => sizes.map((size, index) => ({ key: String(index), size })))
  .filter((some) => some.some(({ size }) => size > 0))

/** Each byte of a part as its key and its place in the part. */
const bytesOf = ({ key, size }: Part) => Array.from({ length: size }, (_, at) => `${key}:${at}`)

it('the pieces of a range are its bytes, in order, and no piece is empty', () => {
  fc.assert(
    fc.property(parts, fc.nat(), fc.nat(), (some, a, b) => {
      const whole = some.flatMap(bytesOf)
      const [first, last] = [a % whole.length, b % whole.length].sort((x, y) => x - y) as [number, number]
      const pieces = piecesOf(some, { first, last })
      const read = pieces.flatMap(({ key, range }) =>
        Array.from({ length: range.last - range.first + 1 }, (_, at) => `${key}:${range.first + at}`),
      )
      expect(read).toEqual(whole.slice(first, last + 1))
      expect(new Set(pieces.map(({ key }) => key)).size).toBe(pieces.length)
    }),
  )
})

it('no parts have no pieces', () => {
  expect(piecesOf([], { first: 0, last: 0 })).toEqual([])
})
