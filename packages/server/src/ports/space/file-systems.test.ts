import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchFileSystems, reserveOf } from './file-systems.js'
import { LowDiskSpace } from './port.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-space-'))
})
afterEach(() => rm(folder, { recursive: true }))

const freeBytes = async () => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Other tests write to the same file system. */
const margin = 1024 ** 3

it.each([
  [100 * 1024 ** 3, undefined, 256 * 1024 ** 2],
  [1_000_000_000, undefined, 50_000_000],
  [0, undefined, 0],
  [1_000_000_000, 0, 0],
  [1_000_000_000, 77, 77],
])('of %d bytes with the setting %s, the reserve is %d bytes', (bytes, configured, reserve) => {
  expect(reserveOf(bytes, configured)).toBe(reserve)
})

it('counts several directories of one file system once', async () => {
  const space = await watchFileSystems({ paths: [folder, join(folder, '..')], reserveBytes: 5 })
  expect(space.measured()).toEqual([{ path: folder, freeBytes: expect.any(Number), reserveBytes: 5 }])
})

it('without directories, as with PostgreSQL and a bucket, the space is never low', async () => {
  const space = await watchFileSystems({ paths: [], reserveBytes: undefined })
  space.take(1e15)
  expect([space.isLow(), space.measured()]).toEqual([false, []])
})

it('refuses large things below the reserve, and changes below a quarter of it', async () => {
  const free = await freeBytes()
  const enough = await watchFileSystems({ paths: [folder], reserveBytes: free - margin })
  expect(enough.isLow()).toBe(false)
  expect(() => enough.require()).not.toThrow()
  expect(() => enough.require(2 * margin)).toThrow(LowDiskSpace)
  const low = await watchFileSystems({ paths: [folder], reserveBytes: 2 * free })
  expect(low.isLow()).toBe(true)
  expect(() => low.require()).toThrow(/^The disk of the server is almost full/)
  expect(() => low.requireForChange()).not.toThrow()
  const full = await watchFileSystems({ paths: [folder], reserveBytes: 5 * free })
  expect(() => full.requireForChange()).toThrow(/^The disk of the server is full: only deletes/)
})

it('counts small changes until they are measured, so that they leave the last quarter of the reserve', async () => {
  const free = await freeBytes()
  const space = await watchFileSystems({ paths: [folder], reserveBytes: 4 * (free - margin) })
  const changes = Array.from({ length: 20_000 }, () => space.requireForChange)
  expect(() => {
    for (const change of changes) change()
  }).toThrow(/^The disk of the server is full/)
  expect(() => space.require()).toThrow(/almost full/)
})

it('counts bytes that arrive until they are measured', async () => {
  const space = await watchFileSystems({ paths: [folder], reserveBytes: (await freeBytes()) - margin })
  space.take(1_000)
  expect(() => space.take(2 * margin)).toThrow(LowDiskSpace)
  expect(space.isLow()).toBe(true)
  await space.job.run(new AbortController().signal)
  expect(space.isLow()).toBe(false)
})

it('keeps the last measurement if a directory can no longer be measured', async () => {
  const gone = join(folder, 'gone')
  const space = await watchFileSystems({ paths: [folder], reserveBytes: 0 })
  const before = space.measured()
  await expect(space.of(gone)).rejects.toThrow('ENOENT')
  expect(space.measured()).toEqual(before)
})
