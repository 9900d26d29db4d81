import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { emptyFolder } from '../../test/database-rows.js'
import { migrationNames } from '../db/migrations/index.js'
import type { Row } from '../db/table-shape.js'
import { formatVersion, type ArchiveHeader } from './format.js'
import { fileOutput, streamOutput } from './output.js'
import { ArchiveReader, type ArchiveItem } from './reader.js'
import { ArchiveWriter } from './writer.js'

const header: ArchiveHeader = {
  format: formatVersion,
  kind: 'backup',
  svc_version: '9.8.7',
  migrations: migrationNames,
  installation_id: '0123456789abcdef',
  created_at: '2026-11-22T12:00:00.000Z',
  tables: [
    {
      name: 'first',
      columns: [
        { name: 'a', kind: 'text' },
        { name: 'b', kind: 'number' },
        { name: 'c', kind: 'bytes' },
      ],
    },
    { name: 'empty', columns: [{ name: 'a', kind: 'text' }] },
  ],
  details: {},
}

const rows: Row[] = [
  ['𝄞\n"\u2028\0', Number.MAX_SAFE_INTEGER, Buffer.from([0, 255, 10])],
  ['', null, Buffer.alloc(0)],
  [null, -1, null],
]

const keyOf = (i: number) => `${String(i).repeat(32)}-7`

const objects = [1, 70_000, 600].map((size, i) => ({ key: keyOf(i), bytes: Buffer.alloc(size, `bytes of ${i}`) }))

async function writeArchive(file: string, changed: Partial<ArchiveHeader> = {}): Promise<Buffer> {
  const writer = await ArchiveWriter.start(await fileOutput(file), { ...header, ...changed })
  for (const { key, bytes } of objects) await writer.addObject(key, bytes.length, Readable.from([bytes]))
  await writer.addRows('first', rows.slice(0, 2))
  await writer.addRows('first', rows.slice(2))
  await writer.finish(new Map([['first', 7]]))
  return readFile(file)
}

interface Contents {
  objects: { key: string; bytes: Buffer }[]
  voids: string[]
  rows: Row[]
  lastIds: ReadonlyMap<string, number>
}

async function readArchive(file: string, leaves = (_: ArchiveItem) => false): Promise<Contents> {
  const reader = await ArchiveReader.open(file)
  const contents: Contents = { objects: [], voids: [], rows: [], lastIds: new Map() }
  try {
    for await (const item of reader.items()) {
      if (leaves(item)) continue
      if (item.kind === 'rows') contents.rows.push(...item.rows)
      else if (item.kind === 'void') contents.voids.push(...item.keys)
      else contents.objects.push({ key: item.key, bytes: Buffer.concat(await Readable.from(item.bytes).toArray()) })
    }
    return { ...contents, lastIds: reader.lastIds }
  } finally {
    reader.close()
  }
}

it('gives back objects, rows and ids, also if the reader leaves the bytes of an object', async () => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  await writeArchive(file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readArchive(file)).toEqual({ objects, rows, voids: [], lastIds: new Map([['first', 7]]) })
  expect((await readArchive(file, ({ kind }) => kind === 'object')).rows).toEqual(rows)
})

it('marks an object whose bytes fail or have another number as void, and keeps the others', async () => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const writer = await ArchiveWriter.start(await fileOutput(file), header)
  const failing = async function* () {
    yield Buffer.from('some')
    throw new Error('The disk failed.')
  }
  await expect(writer.addObject(keyOf(5), 200_000, failing())).rejects.toThrow('The disk failed.')
  await expect(writer.addObject(keyOf(6), 5, Readable.from([Buffer.from('four')]))).rejects.toThrow('fewer bytes')
  await expect(writer.addObject(keyOf(7), 3, Readable.from([Buffer.from('four')]))).rejects.toThrow('more bytes')
  await writer.addObject(keyOf(8), 4, Readable.from([Buffer.from('four')]))
  await writer.finish()
  const { voids, objects } = await readArchive(file)
  expect(voids).toEqual([5, 6, 7].map(keyOf))
  expect(objects.at(-1)).toEqual({ key: keyOf(8), bytes: Buffer.from('four') })
})

it('refuses an archive that is cut off, wherever it ends', async () => {
  await using folder = await emptyFolder()
  const whole = await writeArchive(join(folder.path, 'a.svc'))
  const file = join(folder.path, 'cut.svc')
  const end = whole.indexOf('end.json')
  for (const length of [2_000, 3_000, 70_000, end - 700, end, end + 600]) {
    await writeFile(file, whole.subarray(0, length))
    await expect(readArchive(file), String(length)).rejects.toThrow(/cut off|not an archive/)
  }
})

it('finds a changed bit in every part of an archive', async () => {
  await using folder = await emptyFolder()
  const whole = await writeArchive(join(folder.path, 'a.svc'))
  const file = join(folder.path, 'damaged.svc')
  const places = [
    '9.8.7',
    'bytes of 1',
    'bytes of 2',
    `blobs/${keyOf(1)}`,
    'blobs/1.sha256',
    '9007199',
    'tables/first/2',
    '"last_ids"',
    '"first": 7',
  ]
  for (const place of places) {
    const changed = Buffer.from(whole)
    const at = changed.lastIndexOf(place) + place.length - 1
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    await writeFile(file, changed)
    await expect(readArchive(file), place).rejects.toThrow(/is damaged: .+; copy it again, or use another archive\.$/)
  }
})

it.each([
  [
    'another format',
    { format: formatVersion + 1 },
    'was made by a newer svc (9.8.7): use that version or a later one.',
  ],
  ['an unknown migration', { migrations: [...migrationNames, '9999-future'] }, 'was made by a newer svc (9.8.7)'],
])('refuses an archive with %s', async (_, changed, message) => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  await writeArchive(file, changed)
  await expect(readArchive(file)).rejects.toThrow(message)
})

it.each([
  ['text', 'Hello, world. '.repeat(100)],
  ['nothing', ''],
  ['zeros', '\0'.repeat(2048)],
])('refuses a file of %s', async (_, text) => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  await writeFile(file, text)
  await expect(readArchive(file)).rejects.toThrow('is not an archive of svc')
  await expect(readArchive(join(folder.path, 'missing'))).rejects.toThrow('missing does not exist.')
  await expect(readArchive(folder.path)).rejects.toThrow('is a directory')
})

it.each([
  ['no object', null],
  ['a missing field', { ...header, installation_id: undefined }],
  ['missing details', { ...header, details: undefined }],
  ['a table that is none', { ...header, tables: [null] }],
  ['an unknown kind of values', { ...header, tables: [{ name: 'first', columns: [{ name: 'a', kind: 'x' }] }] }],
])('refuses a header with %s', async (_, changed) => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const writer = await ArchiveWriter.start(await fileOutput(file), {
    ...header,
    toJSON: () => changed,
  } as ArchiveHeader)
  await writer.finish()
  await expect(readArchive(file)).rejects.toThrow('is not an archive of svc')
})

it.each([Number.NaN, 1.5, -1, 2 ** 53])('refuses the last id %s, which a database cannot give out', async (last) => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const writer = await ArchiveWriter.start(await fileOutput(file), header)
  await writer.finish(new Map([['first', last]]))
  await expect(readArchive(file)).rejects.toThrow('is damaged: end.json')
})

it('refuses an endless entry of tar metadata', async () => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const whole = await writeArchive(file)
  const at = whole.lastIndexOf('end.json')
  const metadata = pack()
  // The types of tar-stream do not have `pax`.
  const endless = { name: 'x', pax: { comment: 'x'.repeat(5_000_000) } }
  metadata.entry(endless, '')
  metadata.finalize()
  await writeFile(file, Buffer.concat([whole.subarray(0, at), await buffer(metadata)]))
  await expect(readArchive(file)).rejects.toThrow('is damaged: it has bytes that are not tar')
})

it('replaces no file, and leaves none if it is abandoned or the output fails', async () => {
  await using folder = await emptyFolder()
  const file = join(folder.path, 'a.svc')
  const writer = await ArchiveWriter.start(await fileOutput(file), header)
  await writeFile(file, 'mine')
  await expect(writer.finish()).rejects.toThrow('exists already: name another file, or remove it.')
  await writer.abandon()
  await expect(fileOutput(file)).rejects.toThrow('exists already')
  expect(await readFile(file, 'utf8')).toBe('mine')
  await symlink('missing', join(folder.path, 'link'))
  await expect(fileOutput(join(folder.path, 'link'))).rejects.toThrow('exists already')

  const broken = new PassThrough()
  const toBroken = await ArchiveWriter.start(streamOutput(broken, 'the pipe'), header)
  broken.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  await expect(toBroken.addObject('x', 9_000_000, Readable.from([Buffer.alloc(9_000_000)]))).rejects.toThrow(
    'the pipe cannot be written: its reader has closed the pipe.',
  )
})
