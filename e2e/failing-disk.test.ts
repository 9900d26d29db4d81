import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyPlace, type Serving } from '../packages/cli/test/svc.js'
import { durableZone, type DurableZone, type Outcome } from './durable-records.js'
import { inject } from './system-faults.js'

/** When the disk fails, writes answer 500. Reads work, acknowledged records stay, and the server keeps running. */

function expectInternalError(outcome: Outcome): void {
  expect(outcome?.status).toBe(500)
  expect(outcome?.body).toEqual({
    success: false,
    error: 'internal_error',
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
  })
}

/** Checks that writes fail and reads succeed. */
async function expectReadOnly(zone: DurableZone, server: Serving, name: string): Promise<void> {
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map((i) => zone.create(server, `${name}${i}`)))
  for (const outcome of outcomes) expectInternalError(outcome)
  expectInternalError(await zone.create(server, name))
  await zone.expectAllThere(server)
  const hosts = await zone.hosts(server)
  expect([...hosts].filter((host) => host.startsWith(name))).toEqual([])
}

describe.concurrent.each([
  ['that fails to flush', 'fsync,fdatasync:error=EIO'],
  ['that fails to write', 'pwrite64,pwritev:error=EIO'],
  ['that is full', 'pwrite64,pwritev:error=ENOSPC'],
])('a disk %s', (_, fault) => {
  it('fails writes, loses no acknowledged record, and accepts writes again after recovery', async () => {
    await using place = await emptyPlace()
    const zone = await durableZone(place)
    await using server = await zone.start()
    for (let i = 0; i < 10; i++) expect((await zone.create(server, `before${i}`))?.status).toBe(200)
    {
      await using _fault = await inject(server, fault)
      await expectReadOnly(zone, server, 'during')
    }
    for (let i = 0; i < 10; i++) expect((await zone.create(server, `after${i}`))?.status).toBe(200)
    await zone.expectAllThere(server)
    expect(zone.acknowledged.size).toBe(20)

    server.child.kill('SIGKILL')
    await server.ended
    await using again = await zone.start()
    await zone.expectAllThere(again)
  })
})

// Only root may mount a file system.
it.runIf(process.getuid?.() === 0)('a full file system fails writes until it has space', async () => {
  await using place = await emptyPlace()
  const data = join(place.cwd, 'data')
  await mkdir(data)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'svc-full-disk', data])
  try {
    const zone = await durableZone(place)
    await using server = await zone.start()
    let full: Outcome
    for (let i = 0; full === undefined; i++) {
      const outcome = await zone.create(server, `filling${i}`)
      if (outcome?.status !== 200) full = outcome
    }
    expectInternalError(full)
    expect(zone.acknowledged.size).toBeGreaterThan(20)
    await expectReadOnly(zone, server, 'full')

    execFileSync('mount', ['-o', 'remount,size=16m', data])
    for (let i = 0; i < 10; i++) expect((await zone.create(server, `room${i}`))?.status).toBe(200)
    await zone.expectAllThere(server)
    server.child.kill('SIGKILL')
    await server.ended
    await using again = await zone.start()
    await zone.expectAllThere(again)
    await again.stop()
  } finally {
    execFileSync('umount', [data])
  }
})
