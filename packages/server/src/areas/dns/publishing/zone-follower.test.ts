import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { Zone } from '../../../ports/dns/port.js'
import { followZones, noFollower, type ZoneFollower } from './zone-follower.js'

/** Rows as other processes change them, and what the nameserver is told. */
class World {
  readonly rows: { name: string; serial: number; version: number }[] = []
  /** `<zone> <serial>` */
  readonly told: string[] = []
  readonly read: string[] = []
  readonly failures: unknown[] = []
  looks = 0
  newest = 0
  databaseFails = false
  unfit = ''

  change(name: string, serial: number): void {
    const at = this.rows.findIndex((row) => row.name === name)
    if (at >= 0) this.rows.splice(at, 1)
    this.rows.push({ name, serial, version: ++this.newest })
  }

  async changedSince(version: number) {
    this.looks++
    if (this.databaseFails) throw new Error('database gone')
    return this.rows.filter((row) => row.version > version)
  }

  async contents(zone: string): Promise<Zone> {
    this.read.push(zone)
    return { zone, serial: this.rows.find(({ name }) => name === zone)?.serial ?? 1, rrsets: [] }
  }

  async setZone({ zone, serial }: Zone): Promise<void> {
    if (zone === this.unfit) throw new Error('unfit')
    this.told.push(`${zone} ${serial}`)
  }
}

let follower: ZoneFollower | undefined
afterEach(() => follower?.stop())

function follow(world: World, since = 0): ZoneFollower {
  follower = followZones(world, world, since, (error) => world.failures.push(error))
  return follower
}

/** Until the follower has looked at what is there now. */
async function looked(world: World): Promise<void> {
  const before = world.looks
  await vi.waitFor(() => expect(world.looks).toBeGreaterThan(before + 1), { timeout: 2000, interval: 20 })
}

it('takes over what others change, each change once, in the order of the changes', async () => {
  const world = new World()
  world.change('old.example', 7)
  follow(world, 1)
  world.change('b.example', 1)
  world.change('a.example', 5)
  await looked(world)
  expect(world.told).toEqual(['b.example 1', 'a.example 5'])
  await looked(world)
  world.change('b.example', 2)
  await looked(world)
  expect(world.told).toEqual(['b.example 1', 'a.example 5', 'b.example 2'])
})

it('does not read again what this process has published, once it knows the zone whole', async () => {
  const world = new World()
  const { published } = follow(world)
  world.change('a.example', 1)
  published('a.example', 1)
  await looked(world)
  expect(world.told).toEqual(['a.example 1'])
  for (const serial of [2, 3]) {
    world.change('a.example', serial)
    published('a.example', serial)
  }
  await looked(world)
  expect(world.told).toEqual(['a.example 1'])
})

it('does not miss a change of another process between two of its own', async () => {
  const world = new World()
  const { published } = follow(world)
  world.change('a.example', 1)
  await looked(world)
  published('a.example', 2)
  published('a.example', 4)
  world.change('a.example', 4)
  await looked(world)
  expect(world.told).toEqual(['a.example 1', 'a.example 4'])
  published('a.example', 5)
  world.change('a.example', 5)
  await looked(world)
  expect(world.told).toHaveLength(2)
})

it('survives a database that fails, says so once, and catches up', async () => {
  const world = new World()
  follow(world)
  world.databaseFails = true
  await looked(world)
  world.change('a.example', 1)
  await looked(world)
  expect(world.failures).toEqual([new Error('database gone')])
  expect(world.told).toEqual([])

  world.databaseFails = false
  await looked(world)
  expect(world.told).toEqual(['a.example 1'])
  world.databaseFails = true
  await looked(world)
  expect(world.failures).toHaveLength(2)
})

it('is not held up by a zone that cannot be served', async () => {
  const world = new World()
  follow(world)
  world.unfit = 'bad.example'
  world.change('bad.example', 1)
  world.change('good.example', 1)
  await looked(world)
  await looked(world)
  expect(world.told).toEqual(['good.example 1'])
  expect(world.read).toEqual(['bad.example', 'good.example'])
  expect(world.failures).toEqual([new Error('unfit')])

  world.unfit = ''
  world.change('bad.example', 2)
  await looked(world)
  expect(world.told).toEqual(['good.example 1', 'bad.example 2'])
})

it('never looks twice at once, and stops when the look under way is done', async () => {
  const world = new World()
  let running = 0
  let most = 0
  const slow = async (version: number) => {
    most = Math.max(most, ++running)
    await sleep(600)
    running--
    return World.prototype.changedSince.call(world, version)
  }
  follower = followZones({ changedSince: slow, contents: (zone) => world.contents(zone) }, world, 0, () => undefined)
  await sleep(700)
  expect(most).toBe(1)
  world.change('a.example', 1)
  await follower.stop()
  expect(running).toBe(0)
  const { looks } = world
  await sleep(600)
  expect(world.looks).toBe(looks)
})

it('has nothing to do where a provider serves the zones', async () => {
  noFollower.published('a.example', 1)
  await expect(noFollower.stop()).resolves.toBeUndefined()
})
