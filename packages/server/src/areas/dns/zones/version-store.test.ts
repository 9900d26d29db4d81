import { expect, it } from 'vitest'
import { nextSerial } from './version-store.js'

it.each([
  [1, 2],
  [1_795_167_000, 1_795_167_001],
  [0xffff_fffe, 0xffff_ffff],
  [0xffff_ffff, 1],
])('the serial after %d is %d', (serial, next) => {
  expect(nextSerial(serial)).toBe(next)
})
