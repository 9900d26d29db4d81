import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { byteLimits, requireFileSize, requireObject, requireRoom, requireUpload, type StorageLimits } from './limits.js'

const use = { files: 3, shared: 0, bytes: 9_000, uploads: 2, objects: 4 }
const limits: StorageLimits = { bytesMax: 10_000, fileBytesMax: 5_000, uploadsMax: 2, filesMax: 5 }
const none: StorageLimits = { bytesMax: 0, fileBytesMax: 0, uploadsMax: 0, filesMax: 0 }

describe('requireRoom', () => {
  it.each([
    [1_000, limits],
    [0, { ...limits, bytesMax: 1 }],
    [-5, { ...limits, bytesMax: 1 }],
    [1e15, none],
  ])('accepts %d bytes', (growth, allowed) => {
    expect(() => requireRoom(use, growth, allowed)).not.toThrow()
  })

  it('400 bad_request with the used and the allowed amount', () => {
    expect(() => requireRoom(use, 1_001, limits)).toThrow(
      new ApiError(
        'bad_request',
        'content needs 1 kB (1001 bytes), but the account uses 9 kB (9000 bytes) of 10 kB (10000 bytes): delete files, or discard open uploads.',
      ),
    )
  })
})

it('400 bad_request for a file beyond the largest', () => {
  expect(() => requireFileSize(5_000, limits)).not.toThrow()
  expect(() => requireFileSize(1e15, none)).not.toThrow()
  expect(() => requireFileSize(5_001, limits)).toThrow(
    new ApiError('bad_request', 'content results in a file of 5 kB (5001 bytes); the limit is 5 kB (5000 bytes).'),
  )
})

it('400 bad_request for an upload beyond the open ones', () => {
  expect(() => requireUpload({ ...use, uploads: 1 }, limits)).not.toThrow()
  expect(() => requireUpload(use, none)).not.toThrow()
  expect(() => requireUpload(use, limits)).toThrow(
    new ApiError(
      'bad_request',
      'upload_id is required: the account has 2 open uploads, and may have 2. Discard one; they expire a day after their last part.',
    ),
  )
})

it('400 bad_request for a file or part beyond the limit', () => {
  expect(() => requireObject(use, limits)).not.toThrow()
  expect(() => requireObject(use, none)).not.toThrow()
  const refusal = new ApiError(
    'bad_request',
    'content cannot be stored: the account has 5 files and parts of uploads, and may have 5. Delete files, or discard open uploads.',
  )
  expect(() => requireObject({ ...use, objects: 5 }, limits)).toThrow(refusal)
  expect(() => byteLimits({ ...use, objects: 5 }, limits)).toThrow(refusal)
  expect(() => byteLimits({ ...use, objects: 5 }, limits, 0)).not.toThrow()
})

describe('byteLimits are the largest file for a request, and the remaining bytes for the account', () => {
  it.each([
    [limits, 1_000, 'content is too large: the account uses 9 kB (9000 bytes) of 10 kB (10000 bytes).'],
    [
      { ...limits, bytesMax: 8_000 },
      0,
      'content is too large: the account uses 9 kB (9000 bytes) of 8 kB (8000 bytes).',
    ],
    [
      { ...limits, bytesMax: 100_000 },
      91_000,
      'content is too large: the account uses 9 kB (9000 bytes) of 100 kB (100000 bytes).',
    ],
  ])('with the limits %j, $1 bytes remain for the account', (allowed, max, reason) => {
    const { request, account } = byteLimits(use, allowed)
    expect(request).toEqual({ max: 5_000, reason: 'content is too large: a file may have 5 kB (5000 bytes).' })
    expect([account.max, account.reason(0)]).toEqual([max, reason])
  })

  it('without limits both are infinite', () => {
    const { request, account } = byteLimits(use, none)
    expect([request.max, account.max]).toEqual([Infinity, Infinity])
  })

  it('the reason names the bytes of other requests', () => {
    expect(byteLimits(use, limits).account.reason(500)).toBe(
      'content is too large: the account uses 9.5 kB (9500 bytes) of 10 kB (10000 bytes), including 500 bytes of other running requests.',
    )
  })

  it('the bytes of a part that is replaced count as free', () => {
    expect(byteLimits(use, limits, 700).account.max).toBe(1_700)
    expect(byteLimits(use, { ...limits, bytesMax: 9_000 }, 700).account.max).toBe(700)
    expect(byteLimits(use, { ...limits, bytesMax: 8_500 }, 700).account.max).toBe(200)
  })
})
