import { expect, it } from 'vitest'
import { Bytes } from './bytes.js'

it('releases a large buffer after take(), and keeps a smaller one', () => {
  const bytes = new Bytes()
  const initialSize = bytes.buffer.length
  bytes.raw(Buffer.alloc(4_000_000, 1))
  expect(bytes.buffer.length).toBeGreaterThanOrEqual(4_000_000)
  expect(bytes.take().equals(Buffer.alloc(4_000_000, 1))).toBe(true)
  expect(bytes.buffer.length).toBe(initialSize)

  bytes.raw(Buffer.alloc(100_000, 2))
  const grown = bytes.buffer
  bytes.take()
  expect(bytes.buffer === grown).toBe(true)
})
