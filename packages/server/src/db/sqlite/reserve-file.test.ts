import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchFileSystems } from '../../ports/space/file-systems.js'
import { reserveJob } from '../../ports/space/reserve-job.js'
import { fillReserve, freeReserve, reserveFileBytes, reserveFileOf } from './reserve-file.js'

let folder: string
let database: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-reserve-'))
  database = join(folder, 'svc.db')
  await writeFile(database, '')
})
afterEach(() => rm(folder, { recursive: true }))

const sizeOf = async () => (await stat(reserveFileOf(database)).catch(() => undefined))?.size

it('the file has half of the reserve, and 16 MiB at most', () => {
  expect([0, 1_000_000, 256 * 1024 ** 2].map(reserveFileBytes)).toEqual([0, 500_000, 16 * 1024 ** 2])
})

it('the file is private, cannot be compressed, and is freed once', async () => {
  await fillReserve(database, 2_500_000)
  const path = reserveFileOf(database)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await sizeOf()).toBe(2_500_000)
  expect(gzipSync((await readFile(path)).subarray(0, 1_000_000), { level: 1 }).length).toBeGreaterThan(990_000)
  expect([freeReserve(database), freeReserve(database)]).toEqual([true, false])
})

it('the file is written anew if a part of it is left, and not otherwise', async () => {
  await writeFile(reserveFileOf(database), 'part')
  await fillReserve(database, 1_000)
  expect(await sizeOf()).toBe(1_000)
  const { mtimeMs } = await stat(reserveFileOf(database))
  await fillReserve(database, 1_000)
  expect((await stat(reserveFileOf(database))).mtimeMs).toBe(mtimeMs)
})

it.each([
  [1_000, 500],
  [1e15, undefined],
  [0, undefined],
])('the job of a server with the reserve %d writes %s bytes', async (reserveBytes, size) => {
  const space = await watchFileSystems({ paths: [folder], reserveBytes })
  for (const job of reserveJob({ kind: 'sqlite', file: database }, space)) await job.run(new AbortController().signal)
  expect(await sizeOf()).toBe(size)
  expect(reserveJob({ kind: 'postgres', url: 'postgres://h/d' }, space)).toEqual([])
})
