import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { durableZone, type DurableZone } from '../durable-records.js'
import { inject } from '../system-faults.js'
import { isLong } from './random.js'

/**
 * A failed commit on SQLite (answered with 500) leaves frames in the WAL, from which a crash would restore the write. The
 * records must be the same before and after a crash.
 */

const flushFails = 'fsync,fdatasync:error=EIO'

/** Checks that writes fail: a single one, and several that share a commit. */
async function expectCreationFails(zone: DurableZone, server: Serving, name: string): Promise<void> {
  expect((await zone.create(server, name))?.status).toBe(500)
  const together = await Promise.all([1, 2, 3].map((i) => zone.create(server, `${name}-${i}`)))
  expect(together.map((outcome) => outcome?.status)).toEqual([500, 500, 500])
  expect([...(await zone.hosts(server))].filter((host) => host.startsWith(name))).toEqual([])
}

describe('a commit that fails to flush', () => {
  let place: Place & AsyncDisposable
  let zone: DurableZone
  let server: Serving & AsyncDisposable
  beforeAll(async () => {
    place = await emptyPlace()
    zone = await durableZone(place)
    server = await zone.start()
    expect((await zone.create(server, 'before'))?.status).toBe(200)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  /** The next test goes on with the restarted server. */
  async function expectSameAfterCrash(): Promise<void> {
    const before = await zone.hosts(server)
    server.child.kill('SIGKILL')
    await server.ended
    server = await zone.start()
    expect([...(await zone.hosts(server))].sort()).toEqual([...before].sort())
    await zone.expectAllThere(server)
  }

  it('is not restored after kill -9 while the disk still fails', async () => {
    for (let round = 0; round < (isLong ? 20 : 1); round++) {
      await using _fault = await inject(server, flushFails)
      await expectCreationFails(zone, server, `all${round}`)
      await expectSameAfterCrash()
    }
  })

  it('is not restored after kill -9 if one flush failed and no write followed', async () => {
    await using _fault = await inject(server, `${flushFails}:when=1`)
    expect((await zone.create(server, 'once'))?.status).toBe(500)
    expect((await zone.hosts(server)).has('once')).toBe(false)
    await expectSameAfterCrash()
  })

  it('is not restored after kill -9 if later writes have succeeded', async () => {
    {
      await using _fault = await inject(server, flushFails)
      await expectCreationFails(zone, server, 'failed')
    }
    expect((await zone.create(server, 'after'))?.status).toBe(200)
    await expectSameAfterCrash()
  })
})
