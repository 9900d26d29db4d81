import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { requireComplete } from './complete.js'

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)

describe('requireComplete', () => {
  it.each([
    [[0], 1],
    [upTo(10_000), 10_000],
  ])('accepts all parts', (received, parts) => {
    expect(() => requireComplete(received, parts)).not.toThrow()
  })

  it.each([
    [[], 1, 'parts is 1, but 1 of these parts are missing: 0.'],
    [[0, 2], 4, 'parts is 4, but 2 of these parts are missing: 1, 3.'],
    [[5], 2, 'parts is 2, but 2 of these parts are missing: 0, 1.'],
    [[], 10_000, `parts is 10000, but 10000 of these parts are missing: ${upTo(20).join(', ')} and 9980 more.`],
    [[0, 1, 2], 2, 'parts is 2, so the last part has the index 1, but there are also 2.'],
    [
      upTo(23),
      2,
      `parts is 2, so the last part has the index 1, but there are also ${upTo(20, 2).join(', ')} and 1 more.`,
    ],
  ])('400 bad_request that names the parts (%#)', (received, parts, message) => {
    expect(() => requireComplete(received, parts)).toThrow(new ApiError('bad_request', message))
  })
})
