import type { Logger } from 'pino'
import { expect, it } from 'vitest'
import type { Zone } from '../../../ports/dns/port.js'
import type { LoadedZone } from './process-store.js'
import { followZones } from './zone-follower.js'
import type { StoredZone } from './zone-store.js'

/** A database whose zones other processes change, and a nameserver that records its zones. */
class World {
  readonly rows: { name: string; serial: number; version: number }[] = []
  /** `<zone> <serial>` */
  readonly served: string[] = []
  readonly read: string[] = []
  readonly failures: unknown[] = []
  newest = 0
  databaseFails = false
  brokenZone = ''
  deletedZone = ''
  /** A zone with values of challenges. */
  provingZone = ''
  /** `<zone> <serial>` */
  readonly noted: string[] = []
  notesFail = false
  /** Called when the follower has read which zones have changed. */
  onPoll: () => void = () => undefined
  onSet: () => void = () => undefined

  change(name: string, serial: number): void {
    const at = this.rows.findIndex((row) => row.name === name)
    if (at >= 0) this.rows.splice(at, 1)
    this.rows.push({ name, serial, version: ++this.newest })
  }

  async changedSince(position: string) {
    if (this.databaseFails) throw new Error('database gone')
    const zones = this.rows.filter(({ version }) => version > Number(position))
    const changes = { zones, position: String(this.newest) }
    this.onPoll()
    return changes
  }

  async contents(zone: string): Promise<StoredZone> {
    this.read.push(zone)
    return {
      zone,
      serial: this.rows.find(({ name }) => name === zone)?.serial ?? 1,
      rrsets: [],
      isDeleted: zone === this.deletedZone,
      isProving: zone === this.provingZone,
    }
  }

  async noteLoaded(zones: readonly LoadedZone[]): Promise<void> {
    if (this.notesFail) throw new Error('database gone')
    this.noted.push(...zones.map(({ zone, serial }) => `${zone} ${serial}`))
  }

  async removeZone(zone: string, serial: number): Promise<void> {
    this.served.push(`${zone} ${serial} removed`)
  }

  async setZone({ zone, serial }: Zone): Promise<void> {
    if (zone === this.brokenZone) throw new Error('broken zone')
    this.served.push(`${zone} ${serial}`)
    this.onSet()
  }
}

const { signal } = new AbortController()

/** A follower, and a run of its job. */
function follow(world: World, since = '0') {
  const log = { error: ({ err }: { err: unknown }) => void world.failures.push(err) } as unknown as Pick<
    Logger,
    'error'
  >
  const { job, notePublished } = followZones({
    zones: world,
    dns: world,
    since,
    noteLoaded: (zones) => world.noteLoaded(zones),
    log,
  })
  return { notePublished, run: () => job.run(signal), job }
}

it('serves the changes of other processes, each once, in their order', async () => {
  const world = new World()
  world.change('old.example', 7)
  const { run } = follow(world, '1')
  world.change('b.example', 1)
  world.change('a.example', 5)
  await run()
  expect(world.served).toEqual(['b.example 1', 'a.example 5'])
  await run()
  world.change('b.example', 2)
  await run()
  expect(world.served).toEqual(['b.example 1', 'a.example 5', 'b.example 2'])
})

it('removes a zone that another process has deleted', async () => {
  const world = new World()
  const { run } = follow(world)
  world.change('a.example', 1)
  await run()
  world.deletedZone = 'a.example'
  world.change('a.example', 2)
  await run()
  expect(world.served).toEqual(['a.example 1', 'a.example 2 removed'])
})

it('does not read a zone again after changes that this process has published', async () => {
  const world = new World()
  const { notePublished, run } = follow(world)
  world.change('a.example', 1)
  notePublished('a.example', 1)
  await run()
  expect(world.served).toEqual(['a.example 1'])
  for (const serial of [2, 3]) {
    world.change('a.example', serial)
    notePublished('a.example', serial)
  }
  await run()
  expect(world.served).toEqual(['a.example 1'])
})

it('does not miss a change of another process between two changes of this process', async () => {
  const world = new World()
  const { notePublished, run } = follow(world)
  world.change('a.example', 1)
  await run()
  notePublished('a.example', 2)
  notePublished('a.example', 4)
  world.change('a.example', 4)
  await run()
  expect(world.served).toEqual(['a.example 1', 'a.example 4'])
  notePublished('a.example', 5)
  world.change('a.example', 5)
  await run()
  expect(world.served).toHaveLength(2)
})

it.each([
  [1, 2, 3],
  [0xffff_ffff, 1, 2],
])(
  'does not read a zone at serial %i whose changes %i and %i are noted during the run',
  async (first, second, third) => {
    const world = new World()
    const { notePublished, run } = follow(world)
    world.change('a.example', first)
    await run()
    world.change('a.example', second)
    world.onPoll = () => {
      notePublished('a.example', second)
      notePublished('a.example', third)
    }
    await run()
    world.onPoll = () => undefined
    world.change('a.example', third)
    await run()
    expect(world.served).toEqual([`a.example ${first}`])
  },
)

it('waits for the notes of changes that this process is publishing', async () => {
  const world = new World()
  const { notePublished, run } = follow(world)
  for (const zone of ['a.example', 'b.example', 'c.example']) world.change(zone, 1)
  await run()
  for (const zone of ['a.example', 'b.example', 'c.example']) world.change(zone, 2)
  // Runs after the follower has begun to wait.
  world.onPoll = () => {
    process.nextTick(() => {
      notePublished('a.example', 2)
      notePublished('c.example', 2)
    })
  }
  await run()
  expect(world.served).toEqual(['a.example 1', 'b.example 1', 'c.example 1', 'b.example 2'])
})

it('does not read a zone again after a change that is noted while an older change is loaded', async () => {
  const world = new World()
  const { notePublished, run } = follow(world)
  world.change('a.example', 1)
  await run()
  world.change('a.example', 2)
  world.onSet = () => {
    notePublished('a.example', 2)
    notePublished('a.example', 3)
  }
  await run()
  world.change('a.example', 3)
  await run()
  expect(world.served).toEqual(['a.example 1', 'a.example 2'])
})

it('catches up after a database failure', async () => {
  const world = new World()
  const { run } = follow(world)
  world.databaseFails = true
  world.change('a.example', 1)
  await expect(run()).rejects.toThrow('database gone')
  expect(world.served).toEqual([])

  world.databaseFails = false
  await run()
  expect(world.served).toEqual(['a.example 1'])
})

it('serves the other zones when one cannot be served, and logs that one', async () => {
  const world = new World()
  const { run } = follow(world)
  world.brokenZone = 'bad.example'
  world.change('bad.example', 1)
  world.change('good.example', 1)
  await run()
  await run()
  expect(world.served).toEqual(['good.example 1'])
  expect(world.read).toEqual(['bad.example', 'good.example'])
  expect(world.failures).toEqual([new Error('broken zone')])

  world.brokenZone = ''
  world.change('bad.example', 2)
  await run()
  expect(world.served).toEqual(['good.example 1', 'bad.example 2'])
})

it('stops between two zones when the server stops, and does not skip the second one later', async () => {
  const world = new World()
  const { job, run } = follow(world)
  const stop = new AbortController()
  world.change('a.example', 1)
  world.change('b.example', 1)
  world.onSet = () => {
    stop.abort()
  }
  await job.run(stop.signal)
  expect(world.served).toEqual(['a.example 1'])
  await run()
  expect(world.served).toEqual(['a.example 1', 'b.example 1'])
})

it('stops while it waits for notes when the server stops, and loads the zone later', async () => {
  const world = new World()
  const { job, run } = follow(world)
  const stop = new AbortController()
  world.change('a.example', 1)
  await run()
  world.change('a.example', 2)
  world.onPoll = () => {
    process.nextTick(() => {
      stop.abort()
    })
  }
  await job.run(stop.signal)
  expect(world.read).toEqual(['a.example'])
  await run()
  expect(world.served).toEqual(['a.example 1', 'a.example 2'])
})

it('notes zones with values of challenges once they are loaded, also if the first note fails', async () => {
  const world = new World()
  const { run } = follow(world)
  world.provingZone = 'proving.example'
  world.change('plain.example', 3)
  world.change('proving.example', 7)
  world.notesFail = true
  await expect(run()).rejects.toThrow('database gone')
  expect(world.served).toEqual(['plain.example 3', 'proving.example 7'])
  world.notesFail = false
  await run()
  await run()
  expect(world.noted).toEqual(['proving.example 7'])
})

it('runs every 250 ms in every process', () => {
  const { job } = follow(new World())
  expect(job).toMatchObject({ name: 'dns.zone-follower', everyMs: 250, runsIn: 'every process' })
})
