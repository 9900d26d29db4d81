import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, type Place, type Serving } from '../packages/cli/test/svc.js'
import { durableZone, type DurableZone, type Outcome } from './durable-records.js'
import { inject } from './system-faults.js'

/**
 * When the disk fails, writes answer 500, and 502 when it is full. Reads work, acknowledged records stay, and the server keeps running.
 */

type Failure = readonly [status: number, error: string]
const failing: Failure = [500, 'internal_error']
const full: Failure = [502, 'upstream_error']

function expectFailure(outcome: Outcome, [status, error]: Failure): void {
  expect(outcome?.status).toBe(status)
  expect(outcome?.body).toEqual({
    success: false,
    error,
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
  })
}

/** Checks that writes fail and reads succeed. */
async function expectReadOnly(zone: DurableZone, server: Serving, name: string, failure: Failure): Promise<void> {
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map((i) => zone.create(server, `${name}${i}`)))
  for (const outcome of outcomes) expectFailure(outcome, failure)
  expectFailure(await zone.create(server, name), failure)
  await zone.expectAllThere(server)
  const hosts = await zone.hosts(server)
  expect([...hosts].filter((host) => host.startsWith(name))).toEqual([])
}

describe('a disk', () => {
  let place: Place & AsyncDisposable
  let zone: DurableZone
  let server: Serving & AsyncDisposable
  beforeAll(async () => {
    place = await emptyPlace()
    zone = await durableZone(place)
    server = await zone.start()
    for (let i = 0; i < 10; i++) expect((await zone.create(server, `before${i}`))?.status).toBe(200)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  it.each<[string, string, string, Failure]>([
    ['fails to flush', 'flush', 'fsync,fdatasync:error=EIO', failing],
    ['fails to write', 'write', 'pwrite64,pwritev:error=EIO', failing],
    ['is full', 'full', 'pwrite64,pwritev:error=ENOSPC', full],
  ])('a disk that %s fails writes, and accepts writes again after recovery', async (_, name, fault, failure) => {
    const { size } = zone.acknowledged
    {
      await using _fault = await inject(server, fault)
      await expectReadOnly(zone, server, `during-${name}`, failure)
    }
    for (let i = 0; i < 10; i++) expect((await zone.create(server, `after-${name}${i}`))?.status).toBe(200)
    await zone.expectAllThere(server)
    expect(zone.acknowledged.size).toBe(size + 10)
  })

  it('a disk that failed loses no acknowledged record after kill -9', async () => {
    expect(zone.acknowledged.size).toBe(40)
    server.child.kill('SIGKILL')
    await server.ended
    server = await zone.start()
    await zone.expectAllThere(server)
    expect([...(await zone.hosts(server))].filter((host) => host.startsWith('during'))).toEqual([])
  })
})

// Only root may mount a file system.
it.runIf(process.getuid?.() === 0)('a full file system fails writes until it has space', async () => {
  await using empty = await emptyPlace()
  // Without a reserve, so that the writes themselves find the disk full.
  const place = { ...empty, env: { SVC_DISK_RESERVE_BYTES: '0' } }
  const data = join(place.cwd, 'data')
  await mkdir(data)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'svc-full-disk', data])
  try {
    const zone = await durableZone(place)
    await using server = await zone.start()
    let refused: Outcome
    for (let i = 0; refused === undefined; i++) {
      const outcome = await zone.create(server, `filling${i}`)
      if (outcome?.status !== 200) refused = outcome
    }
    expectFailure(refused, full)
    expect(zone.acknowledged.size).toBeGreaterThan(20)
    await expectReadOnly(zone, server, 'full', full)

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
