import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FileReader } from './file-reader.js'

const size = 5 * 1024 * 1024 + 1
const content = randomBytes(size)
let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-reader-'))
  path = join(folder, 'file')
  await writeFile(path, content)
})
afterAll(() => rm(folder, { recursive: true }))

const readerOf = async (first: number, last: number) => new FileReader(await open(path), { first, last })

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

it.each([
  [0, size - 1],
  [0, 0],
  [size - 1, size - 1],
  [70_000, 3_000_000],
])('reads the bytes %i to %i, also with recycled chunks', async (first, last) => {
  for (const recycles of [true, false]) {
    const reader = await readerOf(first, last)
    const hash = createHash('sha256')
    const kept: Buffer[] = []
    const memory = new Set<ArrayBufferLike>()
    for await (const chunk of reader as AsyncIterable<Buffer>) {
      hash.update(chunk)
      memory.add(chunk.buffer)
      if (recycles) reader.recycle(chunk)
      else kept.push(chunk)
    }
    expect(hash.digest('hex')).toBe(sha256(content.subarray(first, last + 1)))
    if (recycles) expect(memory.size).toBeLessThanOrEqual(3)
    else expect(sha256(Buffer.concat(kept))).toBe(sha256(content.subarray(first, last + 1)))
    expect(reader.closed).toBe(true)
  }
})

it('only some readers at a time have large chunks, and leaving one makes room for another', async () => {
  const files = await Promise.all(Array.from({ length: 17 }, () => open(path)))
  const readers = files.map((file) => new FileReader(file, { first: 0, last: size - 1 }))
  const chunkOf = async (reader: FileReader) =>
    ((await reader[Symbol.asyncIterator]().next()) as IteratorYieldResult<Buffer>).value.length
  const sizes = await Promise.all(readers.map(chunkOf))
  expect(sizes).toEqual([...Array.from({ length: 16 }, () => 1024 * 1024), 64 * 1024])
  const [first] = readers
  await new Promise((resolve) => first!.once('close', resolve).destroy())
  const next = await readerOf(0, size - 1)
  expect(await chunkOf(next)).toBe(1024 * 1024)
  for (const reader of [...readers, next]) reader.destroy()
})

it('fails for a file that became shorter', async () => {
  const short = join(folder, 'short')
  await writeFile(short, content)
  const reader = new FileReader(await open(short), { first: 0, last: size - 1 })
  await truncate(short, 100)
  await expect(reader.toArray()).rejects.toThrow('A stored file is shorter than it should be.')
})

it('takes back only the memory of readers, not a part of another buffer', async () => {
  const reader = await readerOf(0, 200_000)
  const pool = Buffer.alloc(64 * 1024, 'x')
  reader.recycle(pool.subarray(100, 200))
  for await (const chunk of reader as AsyncIterable<Buffer>) expect(chunk.buffer).not.toBe(pool.buffer)
  expect(pool.equals(Buffer.alloc(64 * 1024, 'x'))).toBe(true)
})
