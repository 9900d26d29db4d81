import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyPlace, type Serving } from '../packages/cli/test/svc.js'
import { durableZone, type DurableZone, type Outcome } from './durable-records.js'
import { inject } from './system-faults.js'

/** A disk that fails takes writes away, and nothing else: no lie about what was kept, no end of the server. */

function expectOurFault(outcome: Outcome): void {
  expect(outcome?.status).toBe(500)
  expect(outcome?.body).toEqual({
    success: false,
    error: 'internal_error',
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
  })
}

/** Writes fail, reads go on. */
async function expectReadOnly(zone: DurableZone, server: Serving, name: string): Promise<void> {
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map((i) => zone.create(server, `${name}${i}`)))
  for (const outcome of outcomes) expectOurFault(outcome)
  expectOurFault(await zone.create(server, name))
  await zone.expectAllThere(server)
  const hosts = await zone.hosts(server)
  expect([...hosts].filter((host) => host.startsWith(name))).toEqual([])
}

describe.concurrent.each([
  ['that fails to flush', 'fsync,fdatasync:error=EIO'],
  ['that fails to write', 'pwrite64,pwritev:error=EIO'],
  ['without room', 'pwrite64,pwritev:error=ENOSPC'],
])('a disk %s', (_, fault) => {
  it('fails the requests that write, loses nothing acknowledged, and does again once it works', async () => {
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

// Mounting is root's.
it.runIf(process.getuid?.() === 0)('a disk that is really full fails writes until there is room', async () => {
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
    expectOurFault(full)
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
