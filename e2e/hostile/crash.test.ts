import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, type Serving } from '../../packages/cli/test/svc.js'
import { durableZone, type DurableZone } from '../durable-records.js'
import { isLong } from './random.js'

const rounds = isLong ? 20 : 2
const clients = 8

/** Creates records one after another until the connection breaks. @returns the number of requests */
async function createAll(zone: DurableZone, server: Serving, name: string): Promise<number> {
  for (let i = 0; ; i++) if ((await zone.create(server, `${name}-${i}`)) === undefined) return i + 1
}

it(`every acknowledged record survives kill -9, ${rounds} times in a row`, async () => {
  await using place = await emptyPlace()
  const zone = await durableZone(place)
  for (let round = 1; round <= rounds; round++) {
    const before = zone.acknowledged.size
    await using server = await zone.start()
    await zone.expectAllThere(server)
    const names = Array.from({ length: clients }, (_, i) => `round${round}-client${i}`)
    const sent = Promise.all(names.map((name) => createAll(zone, server, name)))
    await vi.waitFor(() => expect(zone.acknowledged.size).toBeGreaterThan(before), 10_000)
    await sleep(100 * (1 + (round % 5)))
    server.child.kill('SIGKILL')
    expect(await server.ended).toBe(null)
    // The server was killed while every client waited for one answer.
    const acknowledged = zone.acknowledged.size - before
    expect(acknowledged).toBeGreaterThan(0)
    expect((await sent).reduce((sum, count) => sum + count, 0)).toBe(acknowledged + clients)
  }
  await using server = await zone.start()
  await zone.expectAllThere(server)
  expect((await zone.create(server, 'last'))?.status).toBe(200)
  await zone.expectAllThere(server)
})
