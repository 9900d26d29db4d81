import { describe, expect, it } from 'vitest'
import { emptyPlace, type Serving } from '../../packages/cli/test/svc.js'
import { durableZone, type DurableZone } from '../durable-records.js'
import { inject } from '../system-faults.js'
import { isLong } from './random.js'

/**
 * A failed commit on SQLite (answered with 500) leaves frames in the WAL, from which a crash would restore the write. The
 * records must be the same before and after a crash.
 */

const flushFails = 'fsync,fdatasync:error=EIO'

async function expectSameAfterCrash(zone: DurableZone, server: Serving): Promise<void> {
  const before = await zone.hosts(server)
  server.child.kill('SIGKILL')
  await server.ended
  await using again = await zone.start()
  expect([...(await zone.hosts(again))].sort()).toEqual([...before].sort())
  await zone.expectAllThere(again)
  await again.stop()
}

/** Checks that writes fail: a single one, and several that share a commit. */
async function expectCreationFails(zone: DurableZone, server: Serving, name: string): Promise<void> {
  expect((await zone.create(server, name))?.status).toBe(500)
  const together = await Promise.all([1, 2, 3].map((i) => zone.create(server, `${name}-${i}`)))
  expect(together.map((outcome) => outcome?.status)).toEqual([500, 500, 500])
  expect([...(await zone.hosts(server))].filter((host) => host.startsWith(name))).toEqual([])
}

describe.concurrent('a commit that fails to flush', () => {
  it('is not restored after kill -9 while the disk still fails', async () => {
    for (let round = 0; round < (isLong ? 20 : 1); round++) {
      await using place = await emptyPlace()
      const zone = await durableZone(place)
      await using server = await zone.start()
      expect((await zone.create(server, 'before'))?.status).toBe(200)
      await using _fault = await inject(server, flushFails)
      await expectCreationFails(zone, server, 'failed')
      await expectSameAfterCrash(zone, server)
    }
  })

  it('is not restored after kill -9 if one flush failed and no write followed', async () => {
    await using place = await emptyPlace()
    const zone = await durableZone(place)
    await using server = await zone.start()
    expect((await zone.create(server, 'before'))?.status).toBe(200)
    await using _fault = await inject(server, `${flushFails}:when=1`)
    expect((await zone.create(server, 'failed'))?.status).toBe(500)
    expect((await zone.hosts(server)).has('failed')).toBe(false)
    await expectSameAfterCrash(zone, server)
  })

  it('is not restored after kill -9 if later writes have succeeded', async () => {
    await using place = await emptyPlace()
    const zone = await durableZone(place)
    await using server = await zone.start()
    {
      await using _fault = await inject(server, flushFails)
      await expectCreationFails(zone, server, 'failed')
    }
    expect((await zone.create(server, 'after'))?.status).toBe(200)
    await expectSameAfterCrash(zone, server)
  })
})
