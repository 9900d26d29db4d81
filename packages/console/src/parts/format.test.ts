import { expect, it } from 'vitest'
import { formatBytes } from './format.js'

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [1_540, '1.5 kB'],
  [999_499, '999 kB'],
  [999_950, '1 MB'],
  [214_958_080, '215 MB'],
  [100_000_000_000, '100 GB'],
  [2_000_000_000_000_000, '2,000 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
