import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { emptyFolder } from '../../test/database-rows.js'
import { readObject } from '../../test/installation.js'
import { openDiskBlobs } from '../ports/blobs/disk/disk-blobs.js'
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
  const writer = await ArchiveWriter.start(await fileOutput(file), {
    ...{ format: formatVersion, kind: 'backup', svc_version: '1', migrations: [], installation_id: 'here' },
    ...{ created_at: '2026-11-22T12:00:00.000Z', tables: [], details: {} },
  })
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
  await placement.settle()
  for (const key of [existing, unread, whole]) placement.keep(key)
  await placement.dropUnreferred()
  placement.close()

  expect((await readObject(blobs, existing, 5)).toString()).toBe('whole')
  expect((await readObject(blobs, whole, 5)).toString()).toBe('bytes')
  expect(await Promise.all([unread, deleted].map((key) => blobs.sizeOf(key)))).toEqual([undefined, undefined])
  await expect(new ObjectPlacement(blobs).takeStore('there')).rejects.toThrow(
    'The blob store belongs to the installation here of svc, and the archive is one of there: set SVC_BLOBS to an empty store.',
  )
})
