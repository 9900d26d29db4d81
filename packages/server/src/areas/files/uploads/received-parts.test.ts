import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { receivedParts, requireComplete } from './received-parts.js'

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)
const odd = (count: number) => upTo(count).map((i) => 2 * i + 1)

/** Checks an upload with the parts of these indexes, read in pages of three. */
async function check(received: readonly number[], parts: number): Promise<void> {
  async function* pages() {
    for (let i = 0; i < received.length; i += 3)
      yield received.slice(i, i + 3).map((part) => ({ part, key: `key${part}`, size: 2 }))
  }
  const upload = await receivedParts(pages())
  expect(upload.bytes).toBe(2 * received.length)
  requireComplete(upload, parts)
}

describe('requireComplete', () => {
  it.each([
    [[0], 1],
    [upTo(10_000), 10_000],
  ])('accepts all parts', async (received, parts) => {
    await check(received, parts)
  })

  it.each([
    [[], 1, 'parts is 1, but 1 of these parts are missing: 0.'],
    [[0, 2], 4, 'parts is 4, but 2 of these parts are missing: 1, 3.'],
    [[5], 2, 'parts is 2, but 2 of these parts are missing: 0 to 1.'],
    [[], 10_000, 'parts is 10000, but 10000 of these parts are missing: 0 to 9999.'],
    [
      [...upTo(3), 4, 5, 6, 10, 11],
      10_000,
      'parts is 10000, but 9992 of these parts are missing: 3, 7 to 9, 12 to 9999.',
    ],
    [
      upTo(5_000).map((index) => index * 2),
      10_000,
      `parts is 10000, but 5000 of these parts are missing: ${odd(20).join(', ')} and more.`,
    ],
    [[0, 1, 2], 2, 'parts is 2, so the last part has the index 1, but there are also 2.'],
    [upTo(23), 2, 'parts is 2, so the last part has the index 1, but there are also 2 to 22.'],
  ])('400 bad_request with the message $2', async (received, parts, message) => {
    await expect(check(received, parts)).rejects.toThrow(new ApiError('bad_request', message))
  })
})
