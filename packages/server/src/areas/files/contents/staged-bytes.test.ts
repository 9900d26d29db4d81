import { ApiError } from '@svc/contract'
import { expect, it } from 'vitest'
import { commitBytes } from './staged-bytes.js'

const staged = () => {
  const bytes = { key: 'k', size: 1, sha256: 'x', isKept: false, keep: () => void (bytes.isKept = true) }
  return bytes
}

it('keeps the bytes after the commit', async () => {
  const bytes = staged()
  await expect(commitBytes(bytes, async () => bytes.isKept)).resolves.toBe(false)
  expect(bytes.isKept).toBe(true)
})

it('does not keep the bytes of a request that was rejected', async () => {
  const bytes = staged()
  const rejected = commitBytes(bytes, () => Promise.reject(new ApiError('bad_request', 'full')))
  await expect(rejected).rejects.toThrow('full')
  expect(bytes.isKept).toBe(false)
})

it('keeps the bytes if the answer to the commit is lost: their row may be there', async () => {
  const bytes = staged()
  await expect(commitBytes(bytes, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  expect(bytes.isKept).toBe(true)
})
