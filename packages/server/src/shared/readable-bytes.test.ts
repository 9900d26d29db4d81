import { describe, expect, it } from 'vitest'
import { readableBytes } from './readable-bytes.js'

describe('readableBytes', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1 kB (1000 bytes)'],
    [1500, '1.5 kB (1500 bytes)'],
    [99_999, '99.9 kB (99999 bytes)'],
    [999_999, '999.9 kB (999999 bytes)'],
    [1_000_000, '1 MB (1000000 bytes)'],
    [10_000_000_000, '10 GB (10000000000 bytes)'],
    [999_999_999_999_999, '999.9 TB (999999999999999 bytes)'],
    [1e15, '1 PB (1000000000000000 bytes)'],
  ])('%d bytes are written as %s', (bytes, text) => {
    expect(readableBytes(bytes)).toBe(text)
  })
})
