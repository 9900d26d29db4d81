import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDiskBlobs } from '../packages/server/src/ports/blobs/disk/disk-blobs.js'
import { newBlobKey, StorageError, type BlobKey, type Blobs } from '../packages/server/src/ports/blobs/port.js'
import { inject } from './system-faults.js'

/** When the disk of the files fails, `put` fails with a sentence for the caller and keeps nothing. */

const mib = 1024 * 1024

async function* bytesOf(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += 64 * 1024) {
    await sleep(0)
    yield Buffer.alloc(Math.min(64 * 1024, size - at), 1)
  }
}

async function listed(blobs: Blobs): Promise<BlobKey[]> {
  const keys: BlobKey[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-blob-faults-'))
})
afterEach(() => rm(folder, { recursive: true }))

const fileOf = (key: BlobKey): string => join(folder, 'unfinished', key)
const folderOf = (key: BlobKey): string => join(folder, key.charAt(0), key.charAt(1))

it.each([
  ['the sync of the file fails', 'fsync:error=EIO', fileOf, 'the disk of the server failed'],
  ['the sync of the folder fails', 'fsync:error=EIO', folderOf, 'the disk of the server failed'],
  ['the sync of the file finds the disk full', 'fsync:error=ENOSPC', fileOf, 'the disk of the server is full'],
  ['the rename fails', 'rename:error=EROFS', fileOf, 'the disk of the server is read-only'],
])('keeps nothing if %s', async (_, fault, pathOf, reason) => {
  const blobs = await openDiskBlobs(folder)
  const key = newBlobKey(1)
  {
    await using _fault = await inject({ child: process }, fault, pathOf(key))
    await expect(blobs.put(key, bytesOf(2 * mib))).rejects.toThrow(
      new StorageError(`The bytes could not be stored: ${reason}.`),
    )
  }
  expect(await listed(blobs)).toEqual([])
  await blobs.put(key, bytesOf(10))
  expect(await listed(blobs)).toEqual([key])
})

it('syncs the file, then the folder, before put resolves', async () => {
  const blobs = await openDiskBlobs(folder)
  await using _fault = await inject({ child: process }, 'fsync:delay_enter=300ms')
  const startedAt = performance.now()
  await blobs.put(newBlobKey(1), bytesOf(10))
  expect(performance.now() - startedAt).toBeGreaterThan(600)
})

async function keepsNothingOnAFullDisk(): Promise<void> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'svc-full-blob-disk', folder])
  try {
    const blobs = await openDiskBlobs(folder)
    const kept = newBlobKey(1)
    await blobs.put(kept, bytesOf(2 * mib))
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((size) => blobs.put(newBlobKey(1), bytesOf(size * 3 * mib))),
    )
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: new StorageError('The bytes could not be stored: the disk of the server is full.'),
      })
    expect(await listed(blobs)).toEqual([kept])
    expect(await blobs.sizeOf(kept)).toBe(2 * mib)
    await blobs.remove(kept)
    await blobs.put(newBlobKey(1), bytesOf(3 * mib))
  } finally {
    execFileSync('umount', [folder])
  }
}

// Only root may mount a file system.
if (process.getuid?.() === 0)
  it('keeps nothing on a full disk, and stores again when it has space', keepsNothingOnAFullDisk)

it('closes every file that it opens', async () => {
  const blobs = await openDiskBlobs(folder)
  const openFiles = async () => (await readdir('/proc/self/fd')).length
  const before = await openFiles()
  for (let i = 0; i < 20; i++) {
    const key = newBlobKey(1)
    await blobs.put(key, bytesOf(mib))
    const reading = await blobs.open(key, { first: 0, last: mib - 1 })
    for await (const _ of reading) break
    await expect(blobs.open(key, { first: 0, last: mib })).rejects.toThrow(StorageError)
    for await (const _ of blobs.list()) break
  }
  await expect.poll(openFiles).toBeLessThanOrEqual(before)
})
