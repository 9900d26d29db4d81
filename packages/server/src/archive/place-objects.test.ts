import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { emptyFolder } from '../../test/database-rows.js'
import { readObject } from '../../test/installation.js'
import { openDiskBlobs } from '../ports/blobs/disk/disk-blobs.js'
import type { Blobs } from '../ports/blobs/port.js'
import { formatVersion } from './format.js'
import { fileOutput } from './output.js'
import { ObjectPlacement } from './place-objects.js'
import { ArchiveReader } from './reader.js'
import { ArchiveWriter } from './writer.js'

const [existing, unread, deleted, whole] = [1, 2, 3, 4].map((digit) => `${String(digit).repeat(32)}-9`) as [
  string,
  string,
  string,
  string,
]

it('keeps an object that exists, and removes those that the archive does not have whole or no row refers to', async () => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const writer = await startArchive(file)
  for (const key of [existing, unread])
    await expect(writer.addObject(key, 5, Readable.from([Buffer.from('byt')]))).rejects.toThrow('fewer bytes')
  for (const key of [deleted, whole]) await writer.addObject(key, 5, Readable.from([Buffer.from('bytes')]))
  await writer.finish()

  const blobs = await openDiskBlobs(join(folder.path, 'files'))
  await blobs.put(existing, Readable.from([Buffer.from('whole')]))
  const reader = await ArchiveReader.open(file)
  const placement = new ObjectPlacement(blobs)
  await placement.takeStore('here')
  for await (const item of reader.items()) {
    if (item.kind === 'object') await placement.add(item, reader)
    else if (item.kind === 'void') await placement.drop(item.keys)
  }
  for (const key of [existing, unread, whole]) placement.keep(key)
  await placement.finish()
  placement.close()

  expect((await readObject(blobs, existing, 5)).toString()).toBe('whole')
  expect((await readObject(blobs, whole, 5)).toString()).toBe('bytes')
  expect(await Promise.all([unread, deleted].map((key) => blobs.sizeOf(key)))).toEqual([undefined, undefined])
  await expect(new ObjectPlacement(blobs).takeStore('there')).rejects.toThrow(
    'The blob store belongs to the installation here of svc, and the archive is one of there: set SVC_BLOBS to an empty store.',
  )
})

it('takes an empty store that a first start on the new machine has taken for another installation', async () => {
  await using folder = await emptyFolder()
  const blobs = await openDiskBlobs(join(folder.path, 'files'))
  await blobs.createMark('owner', 'there')
  await new ObjectPlacement(blobs).takeStore('here')
  expect(await blobs.readMark('owner')).toBe('here')
})

describe('an object that exists with the size of the archived one', () => {
  const mebibytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'bytes of the archive ')

  it.each([
    ['other bytes of a small object', mebibytes(0.5), 0],
    ['another first byte', mebibytes(20), 0],
    ['another byte in the middle', mebibytes(20), 9_000_000],
    ['another last byte', mebibytes(20), 20 * 1024 * 1024 - 1],
  ])('is replaced if it has %s, and only after the checksum of the archive', async (_, right, at) => {
    await using folder = await emptyFolder()
    const file = join(folder.path, 'a.svc')
    const writer = await startArchive(file)
    await writer.addObject(existing, right.length, Readable.from([right]))
    await writer.addObject(whole, right.length, Readable.from([right]))
    await writer.finish()
    const damaged = Buffer.from(right)
    damaged[at] = damaged[at]! ^ 1
    const blobs = await openDiskBlobs(join(folder.path, 'files'))
    await blobs.put(existing, Readable.from([damaged]))

    const cut = join(folder.path, 'cut.svc')
    await writeFile(cut, (await readFile(file)).subarray(0, -right.length))
    await expect(place(blobs, cut)).rejects.toThrow('is cut off')
    expect((await readObject(blobs, existing, right.length)).equals(damaged)).toBe(true)
    expect(await keysOf(blobs)).toEqual([existing])

    await place(blobs, file)
    for (const key of [existing, whole]) expect((await readObject(blobs, key, right.length)).equals(right)).toBe(true)
    expect(await keysOf(blobs)).toEqual([existing, whole])
  })
})

const keysOf = async (blobs: Blobs): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys.toSorted()
}

const startArchive = async (file: string): Promise<ArchiveWriter> =>
  ArchiveWriter.start(await fileOutput(file), {
    format: formatVersion,
    kind: 'backup',
    svc_version: '1',
    migrations: [],
    installation_id: 'here',
    created_at: '2026-11-22T12:00:00.000Z',
    tables: [],
    details: {},
  })

/** Stores the objects of an archive as `svc restore` does. */
async function place(blobs: Blobs, file: string): Promise<void> {
  const reader = await ArchiveReader.open(file)
  const placement = new ObjectPlacement(blobs)
  try {
    for await (const item of reader.items()) if (item.kind === 'object') await placement.add(item, reader)
    for (const key of [existing, whole]) placement.keep(key)
    await placement.finish()
  } catch (error) {
    await placement.undo(reader)
    throw error
  } finally {
    placement.close()
  }
}
