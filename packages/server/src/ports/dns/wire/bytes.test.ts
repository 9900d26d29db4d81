import { expect, it } from 'vitest'
import { Bytes } from './bytes.js'

it('does not keep a large buffer after it was taken', () => {
  const bytes = new Bytes()
  const initial = bytes.buffer.length
  bytes.raw(Buffer.alloc(4_000_000, 1))
  expect(bytes.buffer.length).toBeGreaterThanOrEqual(4_000_000)
  expect(bytes.take().equals(Buffer.alloc(4_000_000, 1))).toBe(true)
  expect(bytes.buffer.length).toBe(initial)

  bytes.raw(Buffer.alloc(100_000, 2))
  const grown = bytes.buffer
  bytes.take()
  expect(bytes.buffer === grown).toBe(true)
})
